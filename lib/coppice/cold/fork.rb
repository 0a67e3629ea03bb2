# frozen_string_literal: true

require "coppice/errors"
require "coppice/fork_safety/stray_copy"
require "coppice/os/clock"

module Coppice
  module Cold
    # Runs a block in a fork of this process and answers the block's answer, or raises PlayFailed. Owns the child and
    # the pipe between them; kills the child when it takes too long.
    class Fork
      CHUNK_BYTES = 65_536

      # seconds: until the child is killed. For a hang in native code: other code has limits of its own.
      #: (Numeric) -> void
      def initialize(seconds)
        @seconds = seconds
      end

      # The answer must be plain data.
      #: () { () -> untyped } -> untyped
      def call(&block)
        reader, writer = IO.pipe(binmode: true)
        pid = Process.fork { perform(reader, writer, &block) }
        writer.close
        receive(reader, pid)
      ensure
        [reader, writer].compact.each(&:close)
      end

      private

      # `exit!`, because the at_exit handlers are the parent's. An exception of a hook ends the process with status 1.
      def perform(reader, writer)
        ForkSafety::StrayCopy.adopt
        reader.close
        writer.write(Marshal.dump(yield))
        exit!(true)
      rescue StandardError, ScriptError => error # from the user's hooks
        warn error.full_message(highlight: false)
        exit!(false)
      end

      def receive(reader, pid)
        text = read(reader)
        Process.kill(:KILL, pid) unless text
        _, status = Process.wait2(pid)
        raise PlayFailed, "hangs in code that no timeout interrupts; its process was killed" unless text
        raise PlayFailed, "its process ended: #{cause(status)}" unless status.success? && !text.empty?

        Marshal.load(text) # rubocop:disable Security/MarshalLoad -- our own fork wrote it
      end

      # nil when it takes too long.
      def read(reader)
        deadline = OS::Clock.now + @seconds
        text = +""
        while (left = deadline - OS::Clock.now).positive?
          next unless reader.wait_readable(left)

          chunk = reader.read_nonblock(CHUNK_BYTES, exception: false)
          return text if chunk.nil?

          text << chunk unless chunk == :wait_readable
        end
      end

      def cause(status)
        status.signaled? ? "killed by SIG#{Signal.signame(status.termsig)}" : "status #{status.exitstatus}"
      end
    end
  end
end
