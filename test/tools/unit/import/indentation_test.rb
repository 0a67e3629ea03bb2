# frozen_string_literal: true

require "test_helper"
require "coppice/tools/import/indentation"

module Coppice
  module Import
    # Lines that are moved to the right or the left.
    class IndentationTest < TestCase
      TEXTS = ["a <<-A, <<~B\n  x\n \#{b}\n\#{b}\n\n   A\n     y\n  \n    z\n  B\n", "a <<A\nA\n",
               "a 'b\n   c\n'\n", "a \"b\n\#{c}\n \#@d\"\n", "a(/b\n  c\n/)\n",
               "a({ \"b\n   c\": 1, \"d\n\": 2 })\n", "a `b\n c\n`\n",
               "=begin\n a\n=end\n"].freeze

      test "lines keep what they have more than others" do
        assert_equal "    a\n\n      b\n    c", Indentation.set("  a\n   \n    b\n  c", "    ")
        assert_equal "a\n  %w[\n    b\n  ]\n", Indentation.set("\ta\n\t  %w[\n\t    b\n\t  ]\n", "")
        assert_empty Indentation.set("", "  ")
      end

      test "lines that begin within a text stay where they are" do
        TEXTS.each do |text|
          first = text.start_with?("=begin") ? text : "    #{text}"
          assert_equal "  x\n#{first.sub(/\A  /, '')}  x\n", Indentation.set("    x\n#{first}    x\n", "  ")
        end
      end
    end
  end
end
