# frozen_string_literal: true

require "coppice/errors"
require "coppice/fork_safety/stray_copy"
require "coppice/os/clock"

module Coppice
  module Cold
    # Runs a block in a fork of this process, and returns what the block returned. Raises PlayFailed if the fork fails
    # or takes too long. Owns the child process and the pipe to it, and kills a child that takes too long.
    class Fork
      CHUNK_BYTES = 65_536

      # seconds: time until the child is killed. Only a hang in native code lasts that long: Play limits all other code.
      #: (Numeric) -> void
      def initialize(seconds)
        @seconds = seconds
      end

      # The block must return plain data, which Marshal can dump.
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

      # Exits with `exit!`, because the at_exit handlers belong to the parent. After an exception in a hook the status
      # is 1.
      def perform(reader, writer)
        ForkSafety::StrayCopy.adopt
        reader.close
        writer.write(Marshal.dump(yield))
        exit!(true)
      rescue UserCodeError => error # from the user's hooks
        warn error.full_message(highlight: false)
        exit!(false)
      rescue Interrupt # a terminal sends it to the parent as well, which reports it
        exit!(false)
      end

      def receive(reader, pid)
        text = read(reader)
        status = reap(pid, kill: text.nil?)
        raise PlayFailed, "hangs in code that no timeout interrupts; its process was killed" unless text
        raise PlayFailed, "its process ended: #{cause(status)}" if text.empty? || status&.success? == false

        Marshal.load(text) # rubocop:disable Security/MarshalLoad -- our own fork wrote it
      end

      # nil when a trap of the application's for SIGCHLD was faster.
      def reap(pid, kill:)
        Process.kill(:KILL, pid) if kill
        Process.wait2(pid).last
      rescue Errno::ESRCH, Errno::ECHILD
        nil
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
        return "its status is unknown" unless status

        status.signaled? ? "killed by SIG#{Signal.signame(status.termsig)}" : "status #{status.exitstatus}"
      end
    end
  end
end
