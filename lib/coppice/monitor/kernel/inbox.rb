# frozen_string_literal: true

require "coppice/coppice_ext"
require "coppice/os/signals"

module Coppice
  class Monitor
    # Where the monitor waits: for signals, for messages from its children, for work that helper threads hand back. Owns
    # a pipe that wakes it, and an epoll set of the children's channels: it costs the same for ten and for a thousand.
    class Inbox
      def initialize
        @channels = Waiter.new
        @channels_io = IO.for_fd(@channels.fileno, autoclose: false)
        @reader, @writer = IO.pipe
        @signals = Thread::Queue.new
        @returned = Thread::Queue.new
        @child_exited = false
      end

      # From here on these signals are kept until the loop takes them, and CHLD is noted.
      #: (Array[Symbol]) -> void
      def open(signals)
        keeping = signals.to_h { |name| [name, -> { @signals << name; wake }] }
        OS::Signals.install(CHLD: -> { note_exit }, **keeping)
      end

      # From here on, and until the end of its channel, messages from this child end the wait.
      #: (Handle) -> void
      def watch(handle)
        fd = handle.channel.fileno
        @channels.add(fd, handle)
        handle.before_close = -> { @channels.remove(fd) }
      end

      # Waits until something has arrived, at most this many seconds; returns the handles whose channels can be read.
      # readers and writers: what else ends the wait when it can be read, or written to.
      #: (Numeric, ?readers: Array[IO], ?writers: Array[IO]) -> Array[Handle]
      def wait(seconds, readers: [], writers: [])
        ready, = IO.select([@reader, @channels_io, *readers], writers, nil, seconds)
        return [] unless ready

        empty_pipe if ready.include?(@reader)
        ready.include?(@channels_io) ? readable_handles : []
      end

      # Signals since the last call, oldest first.
      #: () -> Array[Symbol]
      def signals = take_all(@signals)

      # Whether CHLD has come since the last call. A signal that comes later, even in here, is told of by the next one.
      #: () -> bool
      def child_exited?
        return false unless @child_exited

        @child_exited = false
        true
      end

      # From another thread: has the monitor's loop run this block.
      #: () { () -> void } -> void
      def hand_back(&work)
        @returned << work
        wake
      end

      #: () -> Array[Proc]
      def returned = take_all(@returned)

      # Signals that come later are lost.
      #: () -> void
      def close
        [@reader, @writer, @channels].each(&:close)
      end

      private

      # They take turns: once one comes again, all have been seen.
      def readable_handles
        found = {}.compare_by_identity
        while (handle = @channels.look) && !found.key?(handle)
          found[handle] = true
        end
        found.keys
      end

      def note_exit
        @child_exited = true
        wake
      end

      def wake
        @writer.write_nonblock(".", exception: false) unless @writer.closed? # a full pipe wakes as well
      end

      def empty_pipe
        nil while @reader.read_nonblock(4096, exception: false).is_a?(String)
      end

      def take_all(queue) = Array.new(queue.size) { queue.pop }
    end
  end
end
