# frozen_string_literal: true

require "test_helper"
require "coppice/cli/missing_proc"

module Coppice
  class CLI
    class MissingProcTest < TestCase
      test "what is missing without /proc is said in one line" do
        assert_match(/\Athere is no \/proc: commands .*, memory .*, and forks .*\z/,
          MissingProc.new(folder: "/no/proc").warning)
        assert_nil MissingProc.new.warning
      end
    end
  end
end
