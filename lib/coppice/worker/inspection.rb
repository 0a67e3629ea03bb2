# frozen_string_literal: true

require "coppice/child/thread_report"
require "coppice/control/channel"
require "coppice/info"

module Coppice
  class Worker
    # Where the helper thread of a worker waits: for the monitor's questions, which it answers while the main thread
    # serves, and to be woken. They come on a socket of their own, since the main thread reads the channel and obeys it.
    # Owns the socket and a pipe.
    class Inspection
      #: (UNIXSocket?, Child::Membership) -> void
      def initialize(socket, membership)
        @channel = Control::Channel.new(socket) if socket
        @membership = membership
        @reader, @writer = IO.pipe
        Info.keep_ios([@channel&.socket, @reader, @writer].compact)
      end

      # Waits until it is woken, or has answered, or so many seconds have passed.
      #: (Numeric) -> void
      def wait(seconds)
        ready, = IO.select([@reader, @channel].compact, nil, nil, seconds)
        return unless ready

        @reader.read_nonblock(4096, exception: false) if ready.include?(@reader)
        answer if ready.include?(@channel)
      end

      # From any thread. A full pipe wakes as well.
      #: () -> void
      def wake = @writer.write_nonblock(".", exception: false)

      # In a process forked from this one.
      #: () -> void
      def close
        stop_listening
        [@reader, @writer].each(&:close)
      end

      private

      def stop_listening
        @channel&.close
        @channel = nil
      end

      def answer
        packet = @channel.receive
        case packet
        when :empty then nil
        when :closed then stop_listening # the monitor is gone: nobody asks any more
        else Child::ThreadReport.new(@membership).write_to(packet)
        end
      end
    end
  end
end
