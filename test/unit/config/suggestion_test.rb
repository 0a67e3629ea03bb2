# frozen_string_literal: true

require "test_helper"
require "coppice/config/suggestion"

module Coppice
  module Config
    class SuggestionTest < TestCase
      NAMES = %i[worker_processes timeout listen logger].freeze

      test "finds a name with a typing error" do
        assert_equal "worker_processes", Suggestion.near(:wroker_processes, NAMES)
        assert_equal "timeout", Suggestion.near("timeuot", NAMES)
        assert_equal "listen", Suggestion.near("listens", NAMES)
        assert_equal "Did you mean logger?", Suggestion.sentence("looger", NAMES)
      end

      test "does not guess when nothing is near" do
        assert_nil Suggestion.near(:pid, NAMES)
        assert_nil Suggestion.near(:working_directory, NAMES)
        assert_nil Suggestion.sentence(:x, [])
      end
    end
  end
end
