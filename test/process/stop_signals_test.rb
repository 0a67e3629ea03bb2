# frozen_string_literal: true

require "test_helper"
require "coppice/os/signals"

module Coppice
  # The signals that end a service or a guest, and those that end nothing.
  class StopSignalsTest < TestCase
    # All but those that report a fault or are for a profiler, a debugger or a limit, and KILL and STOP.
    SENT_TO_ALL = %w[HUP PIPE ALRM TERM URG TSTP CONT CHLD TTIN TTOU IO XFSZ VTALRM WINCH USR1 USR2 PWR].freeze

    # A shell has what it runs in the background ignore both.
    def setup
      @handlers = %i[INT QUIT].to_h { |name| [name, trap(name, "DEFAULT")] }
    end

    def teardown
      @handlers.each { |name, handler| trap(name, handler || "DEFAULT") }
    end

    test "a child goes on after what was sent to all processes of the server" do
      pid = fork do
        OS::Signals.stop_by { nil }
        SENT_TO_ALL.each { |name| Process.kill(name, Process.pid) }
        exit!(7)
      end

      assert_equal 7, BoundedWait.status_of(pid).exitstatus
    end

    # macOS has no PWR.
    test "the server has handlers only for the signals that the system has" do
      pid = fork do
        OS.send(:remove_const, :Signals)
        Signal.stub(:list, Signal.list.except("PWR")) { load "coppice/os/signals.rb" }
        exit!(OS::Signals::OF_PROGRAMS.include?(:PWR) ? 1 : 7)
      end

      assert_equal 7, BoundedWait.status_of(pid).exitstatus
    end

    # The set of signals that a program ignores which a child runs.
    def ignored_by_program(hup)
      reader, writer = IO.pipe
      pid = fork do
        trap(:HUP, hup)
        2.times { OS::Signals.begin_child } # a child of a child
        exec("grep", "SigIgn", "/proc/self/status", out: writer)
      end
      writer.close
      BoundedWait.read(reader)[/\h{16}/].hex
    ensure
      Process.wait(pid)
      reader.close
    end

    test "a program that a child runs ignores none of them, but under nohup HUP" do
      hup = 1 << (Signal.list.fetch("HUP") - 1)

      assert_equal [0, hup], [ignored_by_program("DEFAULT"), ignored_by_program("IGNORE")]
    end

    # The exit status of a process that runs the block once it has got TERM.
    def status_of_ending
      pid = fork do
        OS::Signals.raise_stop_signals
        Process.kill(:TERM, Process.pid)
        sleep
      rescue SignalException => error
        exit!(yield(error))
      end
      Process.wait2(pid).last
    end

    test "TERM and QUIT raise once, so that nothing interrupts what ends the work" do
      status = status_of_ending do |error|
        %i[TERM QUIT].each { |name| Process.kill(name, Process.pid) }
        error.signm == "SIGTERM" ? 7 : 1
      end

      assert_equal 7, status.exitstatus
    end

    test "a program that takes the place of the process gets the signals as usual" do
      status = status_of_ending { exec("sh", "-c", "kill -TERM $$") }

      assert_equal Signal.list.fetch("TERM"), status.termsig
    end

    # How a process has ended that the block has sent a signal, where the server has handlers of its own.
    def status_of_guest
      pid = fork do
        OS::Signals.stop_by { nil }
        OS::Signals.die_by_all
        yield
        exit!(0)
      rescue SignalException
        exit!(7)
      end
      BoundedWait.status_of(pid)
    end

    test "a guest dies by a signal, which nothing can rescue before its program begins" do
      %i[INT TERM HUP USR1].each do |name|
        assert_equal Signal.list.fetch(name.to_s), status_of_guest { Process.kill(name, Process.pid) }.termsig
        status = status_of_guest do
          OS::Signals.reset
          Process.kill(name, Process.pid)
          sleep
        end

        assert_equal 7, status.exitstatus, name
      end
    end

    test "the program gets the handlers that a hook has set" do
      status = status_of_guest do
        trap(:TERM) { exit!(5) }
        OS::Signals.reset
        Process.kill(:TERM, Process.pid)
        sleep
      end

      assert_equal 5, status.exitstatus
    end
  end
end
