# frozen_string_literal: true

require "test_helper"
require "coppice/config/loader"

module Coppice
  module Config
    # How long a request may take in a cold worker, where the file says it and where it does not.
    class ColdTimeoutTest < TestCase
      test "cold workers have more time, but not more than a timeout that somebody has chosen" do
        { "" => [20, 60], "timeout 10" => [10, 10], "timeout 10, cold: 40" => [10, 40], "timeout_cold 30" => [20, 30],
          "timeout 10, cold: 5" => [10, 10], "timeout 10, cold: 40\ntimeout 9" => [9, 9] }.each do |text, limits|
          settings = load(text)
          assert_equal limits, [settings.timeout, settings.cold_timeout], text
        end
        assert_equal [5, 40], %w[timeout cold_timeout].map { |name| load("timeout 3, cold: 40", "5").public_send(name) }
        assert_equal 5, load("", "5").cold_timeout
      end

      private

      # seconds: of the flag.
      def load(text, seconds = nil)
        with_tmpdir do |folder|
          File.write("#{folder}/coppice.rb", text)
          flags = seconds ? ["--timeout", seconds] : []
          Loader.new(arguments: ["-c", "coppice.rb", *flags], environment: {}, directory: folder).load
        end
      end
    end
  end
end
