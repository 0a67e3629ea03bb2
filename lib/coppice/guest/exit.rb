# frozen_string_literal: true

require "coppice/errors"
require "coppice/log/text"
require "coppice/os/clock"

module Coppice
  class Guest
    # How a guest ends: as the same program would in a process of its own. The `at_exit` handlers of the mold were
    # registered before those of the program, so Ruby would run them after these. A handler that is registered in
    # between ends the process.
    module Exit
      # Frames of a backtrace from here on are not the program's.
      OURS = Log::Text.valid(File.expand_path("..", __dir__)).freeze

      CAUSE = Exception.instance_method(:cause) # errors of libraries have other causes: a symbol, a response
      MESSAGE = Exception.instance_method(:to_s) # as it was raised
      THREAD_SECONDS = 10 # for the `ensure` of all threads

      # The first call in a guest: from here on each handler and each file is the program's. The block runs it; what it
      # raises passes.
      #: () { () -> void } -> void
      def self.take_over
        @inherited = {}.compare_by_identity
        ObjectSpace.each_object(IO) { |io| @inherited[io] = true }
        at_exit { finish($!) }
        yield
      rescue Exception => error # rubocop:disable Lint/RescueException -- # why: a handler may replace any
        @raised = error
        raise
      end

      # error: what the program ended with, after its last handler. Ruby has shown what handlers have raised.
      #: (Exception?) -> bot
      def self.finish(error)
        show(@raised) unless @raised.nil? || @raised.is_a?(SystemExit) || @raised.instance_of?(SignalException)
        end_threads
        [$stdout, $stderr, STDOUT, STDERR, *files].uniq.each { |stream| flush(stream) }
        case error
        when nil then exit!(0)
        when SystemExit then exit!(error.status)
        when SignalException then die(error.signo)
        else exit!(1)
        end
      end

      # As Ruby does, also for Interrupt; the frames of the server are left out.
      def self.show(error)
        leave_out_ours(error)
        framed = error.backtrace&.any?
        $stderr.puts(framed ? error.full_message(highlight: $stderr.tty?, order: :top) : without_frames(error))
      rescue IOError, SystemCallError # nobody reads it
        nil
      rescue UserCodeError # of a method of the error's own class, or of error_highlight in Ruby 3.1 for code of -e
        show_plainly(error)
      end

      def self.show_plainly(error)
        place, message = [error.backtrace&.first, MESSAGE.bind_call(error)].map { |text| Log::Text.valid(text.to_s) }
        $stderr.puts("#{place}: #{message} (#{error.class})")
      rescue UserCodeError # its message is an object that fails as well, or nobody reads it
        nil
      end

      # Of the error and its causes. A cause that has none of the program keeps its frames: without any, Ruby would name
      # the line that shows it.
      def self.leave_out_ours(error)
        chain_of(error).each do |one|
          frames = one.backtrace&.take_while { |frame| !Log::Text.valid(frame).start_with?(OURS) }
          one.set_backtrace(frames) if frames && !one.frozen? && (frames.any? || one.equal?(error))
        end
      end

      def self.chain_of(error)
        chain = [error]
        while (cause = CAUSE.bind_call(chain.last))
          chain << cause
        end
        chain
      end

      # A script that Ruby cannot parse has none of its own, and the full message would begin with a line of the server.
      def self.without_frames(error)
        return error.detailed_message(highlight: $stderr.tty?) if error.respond_to?(:detailed_message)

        "#{error.message} (#{error.class})" # before Ruby 3.2
      end

      # Their `ensure` runs, as at the end of any Ruby. One may wait for a lock that nobody in this fork will give back.
      def self.end_threads
        limit = OS::Clock.now + THREAD_SECONDS
        threads = Thread.list - [Thread.current]
        threads.each(&:kill).each do |thread|
          thread.join([limit - OS::Clock.now, 0].max)
        rescue Exception # rubocop:disable Lint/RescueException -- # why: its own, which concerns nobody any more
          nil
        end
      end

      # What the mold has not written yet, it writes itself.
      def self.files = ObjectSpace.each_object(IO).reject { |io| @inherited.key?(io) }

      def self.flush(stream)
        stream.flush if stream.respond_to?(:flush)
      rescue IOError, SystemCallError # closed, or nobody reads it
        nil
      end

      def self.die(number)
        trap(number, "SYSTEM_DEFAULT")
        Process.kill(number, Process.pid)
        Kernel.sleep
      rescue ArgumentError # a signal that Ruby reserves
        exit!(128 + number)
      end

      private_class_method :show, :show_plainly, :leave_out_ours, :chain_of, :without_frames, :end_threads, :files,
                           :flush, :die
    end
  end
end
