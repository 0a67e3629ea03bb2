# frozen_string_literal: true

module Coppice
  class Mold
    # Readies the heap for being shared, before the first fork of a mold. Runs in
    # the mold process, once a life.
    class HeapPreparation
      # It takes up to seconds of a processor, which on a small machine are missed by those who serve. With 5 more it gets a
      # third of what each of them does (see sched(7): a step is a factor of 1.25), and with that in mind is given
      # Settings#mold_timeout.
      NICENESS = 5

      #: (bool | Symbol) -> void
      def initialize(wanted)
        @wanted = wanted
      end

      # On a thread of its own: on Linux it is threads that have a priority, and only a privileged one could raise its own
      # again. The main thread, which forks, and so all workers, keep theirs.
      #: () -> void
      def call
        return unless @wanted

        Thread.new do
          step_back
          ready_heap
        end.join
      end

      private

      def step_back
        Process.setpriority(Process::PRIO_PROCESS, 0, Process.getpriority(Process::PRIO_PROCESS, 0) + NICENESS)
      rescue SystemCallError
        nil # a sandbox forbids it: then it goes as fast as it can
      end

      # Process.warmup (Ruby 3.3) collects, promotes what survives to the old
      # generation so that the next minor collections do not mark, and so do not
      # copy, these pages, and gives free pages back. Before 3.3: three major
      # collections, after which survivors are old. No compaction there: old C
      # extensions crash in it.
      def ready_heap
        Process.respond_to?(:warmup) ? Process.warmup : 3.times { GC.start }
      end
    end
  end
end
