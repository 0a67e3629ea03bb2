# frozen_string_literal: true

module Coppice
  class Mold
    # Prepares the heap of a mold for being shared, before its first fork.
    class HeapPreparation
      # The preparation takes up to seconds of a processor, which workers need on a small machine. With a nice value
      # that is higher by 5 it gets a third of what each of them gets (see sched(7): a step is a factor of 1.25). That
      # is why Settings#mold_timeout is as long as it is.
      NICENESS = 5

      #: (bool | Symbol) -> void
      def initialize(wanted)
        @wanted = wanted
      end

      # On a thread of its own: on Linux each thread has a priority, and only a privileged one could raise it again. The
      # main thread, which forks, and so all workers, keep theirs.
      #: () -> void
      def call
        return unless @wanted

        Thread.new do
          lower_priority
          prepare_heap
        end.join
      end

      private

      def lower_priority
        Process.setpriority(Process::PRIO_PROCESS, 0, Process.getpriority(Process::PRIO_PROCESS, 0) + NICENESS)
      rescue SystemCallError
        nil # a sandbox forbids it: the preparation runs at the usual priority
      end

      # Process.warmup (Ruby 3.3) collects garbage, promotes what survives to the old generation, so that later minor
      # collections do not mark and so do not copy these pages, and returns free pages. Before 3.3: three major
      # collections, after which survivors are old. No compaction: old C extensions crash in it.
      def prepare_heap
        Process.respond_to?(:warmup) ? Process.warmup : 3.times { GC.start }
      end
    end
  end
end
