# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/errors"
require "coppice/os/process_stat"

module Coppice
  class Monitor
    # Asks one child for the backtraces of its threads, and collects them from a pipe. When it does not answer, native
    # code may hold Ruby's lock, or the process is stopped: then the kernel knows more.
    class ThreadRequest
      SECONDS = 3 # until the child counts as one that does not answer
      PIPE_BYTES = 1024 * 1024 # the largest that the kernel gives any user: /proc/sys/fs/pipe-max-size
      SET_PIPE_SIZE = 1031 # F_SETPIPE_SZ, which the library fcntl does not name

      attr_reader :reader #: IO -- becomes readable when the answer comes

      # Raises Error when it cannot be asked.
      #: (Handle) -> void
      def initialize(handle)
        @handle = handle
        @text = +""
        @reader, output = IO.pipe
        enlarge(output)
        sent = (handle.inspection || handle.channel).send(Control::Messages::ShowThreads.new,
          descriptors: { output: output })
        return if sent == :sent

        @reader.close
        raise Error, "#{handle.name} cannot be asked: its channel is #{sent}"
      ensure
        output&.close
      end

      # As long the answer is awaited.
      #: () -> Integer
      def seconds = SECONDS

      # nil until the child has written everything.
      #: () -> Array[String]?
      def lines
        while (bytes = @reader.read_nonblock(65_536, exception: false))
          return if bytes == :wait_readable

          @text << bytes
        end
        raise Error, "#{@handle.name} has exited, or had no descriptor left to answer with" if @text.empty?

        @text.force_encoding(Encoding::UTF_8).scrub("?").split("\n")
      end

      # What can be said without the child. Source: proc_pid_stat(5), proc_pid_wchan(5), proc_pid_syscall(5).
      #: () -> Array[String]
      def lines_of_kernel
        ["#{@handle.name} (process #{@handle.pid}) does not answer within #{SECONDS} s: #{reason}. " \
         "The kernel says of its threads:",
         *Dir.children("/proc/#{@handle.pid}/task").sort_by(&:to_i).map { |thread| "  #{thread_line(thread)}" }]
      rescue Errno::ENOENT
        raise Error, "#{@handle.name} has exited"
      end

      private

      # Else a long report is cut off at 64 KiB.
      def enlarge(pipe)
        pipe.fcntl(SET_PIPE_SIZE, PIPE_BYTES)
      rescue SystemCallError
        nil # the limit for this user's pipes is reached, or the machine's is lower
      end

      def reason
        return "a signal has stopped it, kill -CONT continues it" if OS::ProcessStat.of(@handle.pid)&.stopped?

        "it is still starting, or native code holds Ruby's lock"
      end

      def thread_line(thread)
        folder = "/proc/#{@handle.pid}/task/#{thread}"
        state = read("#{folder}/status")[/^State:\s*(.*)$/, 1]
        "#{thread} #{read("#{folder}/comm")}: #{state}, waits in #{read("#{folder}/wchan")}, " \
          "system call #{read("#{folder}/syscall").split.first}"
      end

      # The kernel may keep it to itself.
      def read(file)
        File.read(file).chomp
      rescue SystemCallError
        "?"
      end
    end
  end
end
