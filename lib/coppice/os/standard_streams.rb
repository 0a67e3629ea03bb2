# frozen_string_literal: true

require "delegate"

module Coppice
  module OS
    # Before a fork or a spawn Ruby flushes $stdout and $stderr. That waits where nobody reads a full pipe, and raises
    # where a disk is full, a reader is gone, or the application has closed or replaced the stream. No process of the
    # server may depend on that.
    module StandardStreams
      # A stream whose buffer stays as it is.
      class Unflushed < SimpleDelegator
        def flush = self
      end

      class << self
        # Nothing is buffered from now on: then nothing is to be flushed. In a process that forks or spawns others.
        #: () -> void
        def unbuffer = [STDOUT, STDERR].each { |stream| stream.sync = true unless stream.closed? }

        # Yields to what forks, in whose copy it also returns.
        #: [T] () { () -> T } -> T
        def unflushed
          streams = [$stdout, $stderr]
          streams.each { |stream| flush(stream) }
          $stdout, $stderr = streams.map { |stream| Unflushed.new(stream) }
          yield
        ensure
          $stdout, $stderr = streams
        end

        private

        # What the application buffers all the same would be in the copy, too.
        def flush(stream)
          stream.flush if stream.is_a?(IO) && !stream.closed? && !stream.sync
        rescue SystemCallError, IOError
          nil # it stays in the buffer
        end
      end
    end
  end
end
