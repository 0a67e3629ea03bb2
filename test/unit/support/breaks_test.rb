# frozen_string_literal: true

require "test_helper"
require "breaks/table"

module Coppice
  # test/breaks, without playing them.
  class BreaksTest < TestCase
    ROOT = File.expand_path("../../..", __dir__)

    Break::TABLE.each do |each|
      test "#{each.name}: the text that it changes is there once, and so are the tests" do
        assert_equal 1, File.read(File.join(ROOT, each.file)).scan(each.was).size
        each.words.each { |word| assert_path_exists File.join(ROOT, word) }
      end
    end
  end
end
