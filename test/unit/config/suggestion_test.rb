# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "coppice/config/suggestion"

module Coppice
  module Config
    class SuggestionTest < TestCase
      LIBRARY = File.expand_path("../../../lib", __dir__)
      NAMES = %i[worker_processes timeout listen logger].freeze

      test "finds a name with a typing error" do
        assert_equal "Did you mean worker_processes?", Suggestion.sentence(:wroker_processes, NAMES)
        assert_equal "Did you mean timeout?", Suggestion.sentence("timeuot", NAMES)
        assert_equal "Did you mean listen?", Suggestion.sentence("listens", NAMES)
        assert_equal "Did you mean logger?", Suggestion.sentence("looger", NAMES)
      end

      test "does not guess when nothing is near" do
        assert_nil Suggestion.sentence(:pid, NAMES)
        assert_nil Suggestion.sentence(:working_directory, NAMES)
        assert_nil Suggestion.sentence(:x, [])
      end

      test "loads the spell checker only for a mistake, and not RubyGems or the whole did_you_mean gem" do
        script = "require 'coppice/config/loader'; before = defined?(DidYouMean); " \
                 "found = Coppice::Config::Suggestion.sentence('tiemout', %w[timeout]); " \
                 "p [before, found, defined?(Gem), defined?(DidYouMean::Correctable)]"
        output, = Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, "--disable=gems,rubyopt",
          "-w", "-I", LIBRARY, "-e", script)

        assert_equal "[nil, \"Did you mean timeout?\", nil, nil]\n", output
      end
    end
  end
end
