# frozen_string_literal: true

require "test_helper"
require "io/console"
require "pty"
require "rbconfig"
require "stringio"
require "coppice/terminal"

module Coppice
  class TerminalTest < TestCase
    test "a terminal has colours unless NO_COLOR, CLICOLOR=0 or TERM=dumb forbid them" do
      cases = [{}, { "NO_COLOR" => "1" }, { "NO_COLOR" => "" }, { "CLICOLOR" => "0" }, { "TERM" => "dumb" }]

      assert_equal [true, false, true, false, false], cases.map { |variables| terminal(variables, tty: true).colour? }
    end

    test "what is no terminal has colours when they are forced" do
      cases = [{}, { "FORCE_COLOR" => "1" }, { "CLICOLOR_FORCE" => "1" }, { "FORCE_COLOR" => "0" },
               { "CLICOLOR_FORCE" => "" }, { "FORCE_COLOR" => "1", "NO_COLOR" => "1" }]

      assert_equal [false, true, true, false, false, false], cases.map { |variables| terminal(variables).colour? }
    end

    test "a terminal knows its size, without any library; nothing else has one" do
      PTY.open do |leader, follower|
        leader.winsize = [33, 101]
        script = "require 'coppice/terminal'; p [$stdout, $stderr].map { |io| Coppice::Terminal.new(io).size }"
        pid = Process.spawn({ "RUBYOPT" => nil }, RbConfig.ruby, "--disable-gems", "-Ilib", "-e", script,
          out: follower, err: File::NULL)
        BoundedWait.status_of(pid)

        assert_equal "[[33, 101], nil]", leader.gets.chomp
      end
    end

    test "the width of a text is that of its characters" do
      assert_equal [5, 4, 1, 4], (["plain", "日本", "e\u0301", "🙂ab"].map { |text| Terminal.width(text) })
    end

    private

    def terminal(variables, tty: false)
      io = StringIO.new
      io.define_singleton_method(:tty?) { tty }
      Terminal.new(io, variables)
    end
  end
end
