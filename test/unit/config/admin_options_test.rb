# frozen_string_literal: true

require "stringio"
require "test_helper"
require "coppice/cli/check_command"
require "coppice/config/loader"

module Coppice
  module Config
    # The options of the observer.
    class AdminOptionsTest < TestCase
      SECRET = "a-secret-of-the-test"

      def load(text, arguments = [])
        with_tmpdir do |folder|
          File.write(File.join(folder, "coppice.rb"), text)
          Loader.new(arguments: ["-c", "coppice.rb", *arguments], environment: {}, directory: folder).load
        end
      end

      test "a port alone is one of this machine" do
        assert_equal ["127.0.0.1:9293"], load("admin_listen 9293").admin_listen.map(&:to_s)
        assert_equal ["127.0.0.1:9293", "/run/admin"],
          load("admin_listen ['9293', '/run/admin']").admin_listen.map(&:to_s)
        assert_equal ["127.0.0.1:9300"], load("", ["--admin-listen", "9300"]).admin_listen.map(&:to_s)
      end

      test "addresses that this machine alone can reach need no token" do
        ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1", "/run/admin"].each do |address|
          assert_nil load("admin_listen #{address.inspect}").admin_token
        end
      end

      test "all others do" do
        ["0.0.0.0:1", "*:1", "[::]:1", "10.0.0.1:1", "example.com:1", "127.0.0.1.example.com:1"].each do |address|
          error = assert_raises(ConfigError, address) { load("admin_listen [2, #{address.inspect}]") }

          assert_match(/\Acoppice\.rb:1: .*needs admin_token/, error.message)
          assert load("admin_listen #{address.inspect}\nadmin_token #{SECRET.inspect}").observed?
        end
      end

      test "a token is long, and is not shown when it is refused" do
        ["short", "with spaces in the middle", "zwölf-und-mehr-zeichen"].each do |token|
          error = assert_raises(ConfigError) { load("admin_token #{token.inspect}") }

          refute_includes error.message, token
        end
      end

      test "coppice check does not show it either" do
        with_tmpdir do |folder|
          File.write(File.join(folder, "coppice.rb"), "admin_token #{SECRET.inspect}\nadmin_listen 9293")
          output = StringIO.new
          CLI::CheckCommand.new(["--show", "-c", "coppice.rb"], output: output, environment: {}, directory: folder).run

          assert_match(/^admin_token +a secret +coppice\.rb:1$/, output.string)
          assert_match(/^admin_listen +127\.0\.0\.1:9293 +coppice\.rb:2$/, output.string)
          refute_includes output.string, SECRET
        end
      end

      test "addresses and token travel to the observer" do
        settings = load("admin_listen 9293\nadmin_token #{SECRET.inspect}\nadmin_hosts ['Admin.example.com']")
        copy = Settings.from_wire(Marshal.load(Marshal.dump(settings.to_wire)))

        assert_equal settings.admin_listen, copy.admin_listen
        assert_equal [SECRET, ["admin.example.com"]], [copy.admin_token, copy.admin_hosts]
      end

      test "on_stats takes its interval and its block, and asks for an observer" do
        settings = load("on_stats(every: 60) { |stats| }")

        assert_equal [60, true], [settings.stats_interval, settings.observed?]
        assert_equal 10, load("on_stats { |stats| }").stats_interval
        refute_predicate load("on_stats { |stats| }\non_stats nil"), :observed?
        assert_raises(ConfigError) { load("on_stats(every: 'often') { |stats| }") }
      end
    end
  end
end
