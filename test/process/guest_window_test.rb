# frozen_string_literal: true

require "test_helper"
require "coppice/guest/streams"
require "coppice/guest_client/signals"
require "coppice/guest_client/window"

module Coppice
  # The terminal of a guest, beside the one of its user.
  class GuestWindowTest < TestCase
    SET_FOREGROUND_GROUP = 0x5410 # the ioctl TIOCSPGRP

    def setup
      @screen, @users = PTY.open
      @window = GuestClient::Window.new([@users, @users, @users])
    end

    def teardown
      @window.close
      [@screen, @users].each(&:close)
    end

    # Yields while another process has made it the terminal of its session.
    def taken(terminal)
      events, event = IO.pipe
      pid = fork do
        Process.setsid
        terminal.ioctl(Guest::Streams::CONTROLLING_TERMINAL, 0)
        event.write(".")
        sleep
      end
      BoundedWait.readable(events)
      yield
    ensure
      Process.kill(:KILL, pid)
      BoundedWait.status_of(pid)
      [events, event].each(&:close)
    end

    # Runs the block as a job in the background of the user's terminal, in a session of its own. Returns what its value
    # looks like, or "stopped".
    def in_background(&job)
      answers, answer = IO.pipe
      shell = fork do
        Process.setsid
        @users.ioctl(Guest::Streams::CONTROLLING_TERMINAL, 0)
        pid = fork do
          Process.setpgid(0, 0)
          answer.write(job.call.inspect)
          exit!
        end
        _, status = Process.wait2(pid, Process::WUNTRACED)
        next unless status.stopped?

        answer.write("stopped")
        Process.kill(:KILL, pid)
      end
      BoundedWait.status_of(shell)
      answer.close
      answers.read
    ensure
      answers.close
    end

    # Brings the calling process to the foreground, as a shell does with a job.
    def to_foreground
      before = trap(:TTOU, "IGNORE")
      @users.ioctl(SET_FOREGROUND_GROUP, [Process.getpgrp].pack("l"))
    ensure
      trap(:TTOU, before)
    end

    test "a job in the background leaves the user's terminal alone and shows what the guest writes" do
      @window.guests_end.write("shown")
      background_and_foreground = taken(@window.guests_end) do
        in_background do
          [-> { nil }, method(:to_foreground)].map do |order|
            order.call
            @window.advance(@window.readers - [@users], nil)
            [@users.echo?, @window.pause, @window.guests_end.closed?]
          end
        end
      end

      assert_equal [[true, GuestClient::Window::BACKGROUND_LOOK_SECONDS, true], [false, nil, true]].inspect,
        background_and_foreground
      assert_equal "shown", BoundedWait.readable(@screen) && @screen.readpartial(100)
    end

    test "the user's terminal makes signals of keys until the guest has a terminal" do
      @window.advance([], nil)
      assert_equal [true, GuestClient::Window::LOOK_SECONDS], [@users.echo?, @window.pause]
      taken(@window.guests_end) { @window.advance([], nil) }

      assert_equal [false, nil], [@users.echo?, @window.pause]
      @window.restore
      assert_predicate @users, :echo?
    end
  end
end
