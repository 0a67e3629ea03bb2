# frozen_string_literal: true

require "coppice/os/clock"

module Coppice
  module OS
    # The other threads of this process that are in the middle of a `require`, a `load` or an autoload.
    #
    # A copy that is forked meanwhile has half of the code, and its constants may stay undefined forever: a library
    # whose file has the name of its C extension counts as loaded once the extension is. OpenSSL is one, and Net::HTTP
    # loads it in whichever thread makes the first request.
    class LoadingThreads
      INTERVAL = 0.001 # seconds between two looks
      # The frame of a file that is loaded; the last two when it was compiled before, by Bootsnap for example. The main
      # thread has such a frame all the time, but it is the one that forks.
      FRAMES = ["<top (required)>", "<main>", "<compiled>"].freeze

      def initialize
        @given_up = []
      end

      # Waits until no other thread loads code, and returns those that still do at this time (monotonic seconds). Later
      # calls do not wait for these again: the file that such a thread has loaded may run for as long as the process.
      #: (Float) -> Array[Thread]
      def wait_until(time)
        Kernel.sleep(INTERVAL) while (loading = threads).any? && Clock.now < time
        @given_up = @given_up.select(&:alive?) + loading
        loading
      end

      private

      def threads
        (Thread.list - [Thread.current] - @given_up).select do |thread|
          thread.backtrace_locations&.any? { |frame| FRAMES.include?(frame.label) }
        end
      end
    end
  end
end
