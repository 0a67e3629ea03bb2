# frozen_string_literal: true

require "test_helper"
require "coppice/os/clock"
require "coppice/os/process_stat"
require "rbconfig"
require_relative "../../support/terminal_window"

# The interactive view on a real terminal, of a server that is none.
class TopSessionTest < Coppice::TestCase
  PROGRAM = File.expand_path("../../support/top_session.rb", __dir__)
  LIBRARY = File.expand_path("../../../lib", __dir__)

  test "it goes on looking, and q gives the terminal back as it was" do
    watch do |window, told|
      before = window.settings_before
      window.wait_for("coppice 4711  serving")
      assert_predicate window, :alternate?
      refute_includes window.modes, 25
      refute_equal before, window.settings
      shown = window.lines.join("\n")
      window.wait { window.lines.join("\n") != shown }

      window.type("q")
      assert_predicate window.wait_for_end, :success?
      assert_equal "outcome quit", told.gets.chomp
      assert_given_back(window, before)
    end
  end

  test "the terminal is given back on a signal" do
    %i[TERM HUP INT QUIT].each do |name|
      watch do |window, told|
        before = window.settings_before
        window.wait_for("serving")
        window.signal(name)

        assert_equal "outcome #{name}", told.gets.chomp
        window.wait_for_end
        assert_given_back(window, before)
      end
    end
  end

  test "the terminal is given back when the view fails, and when the server is gone" do
    { "raise" => [1, ""], "gone" => [0, "outcome gone\n"] }.each do |how, (status, outcome)|
      watch(how) do |window, told|
        before = window.settings_before
        assert_equal status, window.wait_for_end.exitstatus
        assert_equal outcome, told.read
        assert_given_back(window, before)
      end
    end
  end

  test "it ends with the terminal" do
    watch do |window, told|
      window.wait_for("serving")
      window.hang_up

      assert_equal "outcome HUP", told.gets.chomp
      window.wait_for_end
    end
  end

  test "it follows the size of the terminal" do
    watch do |window|
      window.wait_for(/\Aworkers 1-14 of 30 /)
      window.resize(12, 40)
      window.wait { window.shows?(/\Aworkers 1-3 of 30/) && window.lines.size == 12 }
      window.resize(40, 100)

      assert window.wait_for(/\Aworkers 1-30 of 30|\A +29 +12 /)
    end
  end

  test "keys select a worker, and show what it does" do
    watch do |window, told|
      window.wait_for("serving")
      window.type("\e[B\e[Bj\r")

      assert window.wait_for("worker 3  generation 12  pid 5004")
      assert window.wait_for("app/shop.rb:7:in `buy'")
      assert_equal "backtrace 3", told.gets.chomp
      window.type("\e")
      assert window.wait_for("slot  gen")
    end
  end

  test "nothing is told to the monitor without a yes" do
    watch do |window, told|
      window.wait_for("serving")
      window.type("r")
      window.wait_for("Refork now? y/n")
      window.type("nr")
      window.wait_for("Refork now? y/n")
      window.type("y")
      assert window.wait_for("refork: refork is done")
      window.type("jx")
      window.wait_for("Replace worker 1 by a fresh fork? y/n")
      window.type("y")
      assert window.wait_for("recycle 1: recycle is done")
      assert_equal ["refork", "recycle 1"], Array.new(2) { told.gets.chomp }
    end
  end

  test "a refusal is shown" do
    watch("refuse") do |window|
      window.wait_for("serving")
      window.type("ry")

      assert window.wait_for("refork: the monitor refuses")
    end
  end

  test "it can be stopped and continued" do
    watch do |window|
      before = window.settings_before
      window.wait_for("serving")
      window.type("\x1a")
      window.wait { Coppice::OS::ProcessStat.of(window.pid).stopped? }
      window.wait { !window.alternate? }
      assert_given_back(window, before)
      stopped = Coppice::OS::Clock.now
      window.wait { Coppice::OS::Clock.now > stopped + 0.1 } # seconds: the next look is due

      window.signal(:CONT)
      window.wait { window.alternate? }
      window.type("q")
      assert_predicate window.wait_for_end, :success?
      assert_empty window.left_behind
      assert_given_back(window, before)
    end
  end

  test "it takes the terminal again after a stop that it could not see, and gives it back as it was" do
    watch do |window|
      before = window.settings_before
      window.wait_for("serving")
      window.signal(:STOP)
      window.wait { Coppice::OS::ProcessStat.of(window.pid).stopped? }
      window.signal(:CONT)
      window.type("?")
      window.wait_for("Keys and columns")
      window.type("qq")

      assert_predicate window.wait_for_end, :success?
      assert_given_back(window, before)
    end
  end

  private

  # Yields the terminal, and what the monitor was told.
  def watch(*arguments)
    told, orders = IO.pipe
    command = [RbConfig.ruby, "-w", "-I", LIBRARY, PROGRAM, *arguments]
    TerminalWindow.open(*command, inherit: { 3 => orders }) do |window|
      orders.close
      yield window, told
    end
  ensure
    [told, orders].each(&:close)
  end

  def assert_given_back(window, before)
    refute_predicate window, :alternate?
    assert_equal [7, 25], window.modes.sort
    assert_equal before, window.settings
  end
end
