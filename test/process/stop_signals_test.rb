# frozen_string_literal: true

require "test_helper"
require "coppice/os/signals"

module Coppice
  # The signals that end a service.
  class StopSignalsTest < TestCase
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
  end
end
