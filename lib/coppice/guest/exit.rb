# frozen_string_literal: true

module Coppice
  class Guest
    # How a guest ends: as the same program would in a process of its own. The `at_exit` handlers of the mold were
    # registered before those of the program, so Ruby would run them after these. A handler that is registered in
    # between ends the process.
    module Exit
      OURS = File.expand_path("..", __dir__).freeze # frames of a backtrace from here on are not the program's

      # The first call in a guest: from here on each handler is the program's.
      #: () -> void
      def self.take_over
        at_exit { finish($!) }
      end

      # error: what the program ended with, after its last handler.
      #: (Exception?) -> bot
      def self.finish(error)
        show(error) unless error.nil? || error.is_a?(SystemExit) || error.instance_of?(SignalException)
        [$stdout, $stderr, STDOUT, STDERR].uniq.each { |stream| flush(stream) }
        case error
        when nil then exit!(0)
        when SystemExit then exit!(error.status)
        when SignalException then die(error.signo)
        else exit!(1)
        end
      end

      # As Ruby does, also for Interrupt; the frames of the server are left out.
      def self.show(error)
        frames = error.backtrace
        error.set_backtrace(frames.take_while { |frame| !frame.start_with?(OURS) }) if frames
        $stderr.write(error.full_message(highlight: $stderr.tty?, order: :top))
      rescue IOError, SystemCallError # nobody reads it
        nil
      end
      private_class_method :show

      def self.flush(stream)
        stream.flush if stream.respond_to?(:flush)
      rescue IOError, SystemCallError # closed, or nobody reads it
        nil
      end
      private_class_method :flush

      def self.die(number)
        trap(number, "SYSTEM_DEFAULT")
        Process.kill(number, Process.pid)
        Kernel.sleep
      rescue ArgumentError # a signal that Ruby reserves
        exit!(128 + number)
      end
      private_class_method :die
    end
  end
end
