# frozen_string_literal: true

require "test_helper"
require "coppice/config/config_file"
require "coppice/config/settings"
require "coppice/worker/route_timeouts"

module Coppice
  class Worker
    # `timeout_for`, from the line of the configuration file to the limit of a path.
    class RouteTimeoutsTest < TestCase
      test "the first line that fits counts" do
        timeouts = configured <<~'RUBY'
          timeout_for "/exports/small", 1
          timeout_for "/exports/", 120
          timeout_for %r{\.pdf\z}i, 2.5
          timeout_for "/exports/small", 9
        RUBY

        { "/exports/small" => 1000, "/exports/small/7" => 1000, "/exports" => 120_000, "/exports/a.pdf" => 120_000,
          "/a.PDF" => 2500, "/exports2" => nil, "/a/exports" => nil, "/" => nil, "" => nil }.each do |path, limit_ms|
          assert_equal [path, limit_ms], [path, timeouts.limit_ms(path)]
        end
      end

      test "the root means all paths" do
        assert_equal 3000, configured('timeout_for "/", 3').limit_ms("/any/path")
      end

      test "bytes that are no text match no Regexp" do
        timeouts = configured("timeout_for /\u00e4/, 3\ntimeout_for '/a', 4")

        assert_nil timeouts.limit_ms("/\xff")
        assert_nil timeouts.limit_ms("/\xff".b)
        assert_equal 4000, timeouts.limit_ms("/a/\xff".b)
      end

      test "without a line there is nothing to ask" do
        assert_nil RouteTimeouts.of(Config::Settings.new)
      end

      private

      # As the settings of a worker have it: they have travelled.
      def configured(text)
        values = with_tmpdir do |folder|
          File.write(File.join(folder, "coppice.rb"), text)
          Config::ConfigFile.read("coppice.rb", directory: folder).values
        end
        wire = Marshal.load(Marshal.dump(Config::Settings.new(values: values).to_wire))
        RouteTimeouts.of(Config::Settings.from_wire(wire))
      end
    end
  end
end
