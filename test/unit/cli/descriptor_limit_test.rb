# frozen_string_literal: true

require "test_helper"
require "coppice/cli/descriptor_limit"
require "coppice/config/settings"
require "coppice/listeners/address"

module Coppice
  class CLI
    class DescriptorLimitTest < TestCase
      def warning(workers, limit, lobby: true)
        listen = [Listeners::Address.parse(8080, lobby: lobby)]
        DescriptorLimit.new(Config::Settings.new(values: { worker_processes: workers, listen: listen }),
          limit: limit).warning
      end

      test "a hard limit that is too low for so many workers is named, with what they need" do
        assert_equal "the monitor needs 6314 file descriptors for 1000 workers, and may have 4096: raise the hard " \
                     "limit (ulimit -Hn)", warning(1000, 4096)
      end

      test "nothing is said of a limit that is high enough, nor of a number of workers that is not known" do
        assert_nil warning(1000, 6314)
        assert_nil warning(1000, 4096, lobby: false)
        assert_nil warning(:auto, 64)
        assert_nil warning(0, 64)
      end
    end
  end
end
