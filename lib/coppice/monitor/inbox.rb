# frozen_string_literal: true

require "coppice/os/signals"

module Coppice
  class Monitor
    # Where the monitor waits: for signals, for messages from its children, for work that helper threads hand back. Owns
    # a pipe that wakes it.
    class Inbox
      def initialize
        @reader, @writer = IO.pipe
        @signals = Thread::Queue.new
        @returned = Thread::Queue.new
      end

      # From here on these signals are kept until the loop takes them, and CHLD wakes it.
      #: (Array[Symbol]) -> void
      def open(signals)
        keeping = signals.to_h { |name| [name, -> { @signals << name; wake }] }
        OS::Signals.install(CHLD: -> { wake }, **keeping)
      end

      # Waits until something has arrived, at most this many seconds; returns the handles whose channels can be read.
      # readers and writers: what else ends the wait when it can be read, or written to.
      #: (Array[Handle], Numeric, ?readers: Array[IO], ?writers: Array[IO]) -> Array[Handle]
      def wait(handles, seconds, readers: [], writers: [])
        open_handles = handles.reject { |handle| handle.channel.closed? }
        ready, = IO.select([@reader, *open_handles.map(&:channel), *readers], writers, nil, seconds)
        return [] unless ready

        empty_pipe
        readable = ready.to_h { |io| [io, true] }.compare_by_identity
        open_handles.select { |handle| readable.key?(handle.channel) }
      end

      # Signals since the last call, oldest first.
      #: () -> Array[Symbol]
      def signals = take_all(@signals)

      # From another thread: has the monitor's loop run this block.
      #: () { () -> void } -> void
      def hand_back(&work)
        @returned << work
        wake
      end

      #: () -> Array[Proc]
      def returned = take_all(@returned)

      private

      def wake
        @writer.write_nonblock(".", exception: false) # a full pipe wakes as well
      end

      def empty_pipe
        nil while @reader.read_nonblock(4096, exception: false).is_a?(String)
      end

      def take_all(queue) = Array.new(queue.size) { queue.pop }
    end
  end
end
