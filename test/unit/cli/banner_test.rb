# frozen_string_literal: true

require "test_helper"
require "stringio"
require "coppice/cli/banner"
require "coppice/config/settings"

module Coppice
  class CLI
    class BannerTest < TestCase
      test "it says what the monitor knows at the start" do
        text = text(worker_processes: 3, refork_after: [50, 100], allocator: :system, gc_profile: :ruby)

        assert_match(/^  Coppice #{VERSION}  Ruby #{RUBY_VERSION} . production$/, text)
        assert_match(/^  Address +http:\S+  unix:\S+$/, text)
        assert_match(/^  Workers +3, reforking on, after 50, 100 requests$/, text)
        assert_match(/^  Memory +system malloc, garbage collector parameters: ruby$/, text)
        assert_match(/^  Process +#{Process.pid}$/, text)
        assert_match(/^  Help +Ctrl-C/, text)
      end

      test "the help names commands that exist" do
        named = text(allocator: :system)[/coppice ([a-z, ]+)$/, 1].split(", ")

        assert_includes named, "top"
        assert_equal named & COMMANDS.keys, named
      end

      test "colours are for terminals that have them" do
        io = StringIO.new
        io.define_singleton_method(:tty?) { true }

        assert_includes banner.text(Terminal.new(io, {})), "\e[1mCoppice"
        refute_includes banner.text(Terminal.new(io, { "NO_COLOR" => "1" })), "\e"
      end

      test "the log line for programs has the same facts" do
        assert_equal "http://[::1]:1 unix:/run/app.sock", banner.fields[:listen]
        assert_equal "on USR2 only: refork_after is not set", banner.fields[:reforking]
        assert_equal Dir.pwd, banner.fields[:directory]
      end

      private

      def text(**values) = banner(**values).text(Terminal.new(StringIO.new, {}))

      def banner(**values)
        settings = Config::Settings.new(values: values, environment_name: "production")
        Banner.new(settings, ["http://[::1]:1", "unix:/run/app.sock"])
      end
    end
  end
end
