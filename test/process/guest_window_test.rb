# frozen_string_literal: true

require "test_helper"
require "coppice/guest/streams"
require "coppice/guest_client/signals"
require "coppice/guest_client/window"

module Coppice
  # The terminal of a guest, beside the one of its user.
  class GuestWindowTest < TestCase
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
