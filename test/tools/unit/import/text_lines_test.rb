# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/imports"

module Coppice
  module Import
    # What stands within a text is no comment, and its blank lines are its own.
    class TextLinesTest < TestCase
      include Imports

      FILE = "config/puma.rb"
      TEXT = "text = <<~A\n  one\n\n\n\n  end\n\n  # workers 2\n\n\n  two\nA\n"

      test "a heredoc stays as it is, and the lines around it are tidied" do
        assert_equal "#{TEXT}\nlisten 3000\n\nworker_processes 2",
          translated("#{TEXT}\n\n\n# workers 3\n\nport 3000\n\n\n\nworkers 2")
      end

      test "a heredoc in a hook stays as it is" do
        text = TEXT.gsub(/^(?=[^A\n])/, "  ")
        hook = translated("before_fork do\n#{text}  puts text\n\n\n\n  puts 1\n\nend")

        assert_includes hook, text
        assert_operator hook, :end_with?, "  puts text\n\n  puts 1\nend"
      end

      test "a string of several lines and a comment of its own stay as they are" do
        text = "=begin\n\n\n\nend\n=end\nname = \"a\n\n\n# workers 2\n\nend\n\"\nport 3000"
        assert_equal text.sub("port", "listen"), translated(text)
      end

      test "a list of words stays as it is: a line that looks like a comment is words" do
        %w[%w %W %i %I].each do |kind|
          text = "names = #{kind}[\n  a\n\n\n  # workers 2\n\n\n  b\n]"
          assert_equal "#{text}\nlisten 3000", translated("#{text}\nport 3000")
        end
      end
    end
  end
end
