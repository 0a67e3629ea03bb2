# frozen_string_literal: true

module Coppice
  class Mold
    # Prepares the heap of a mold for being shared, before its first fork.
    #
    # Process.warmup (Ruby 3.3) collects garbage, makes what survives old, and compacts the heap, which writes to nearly
    # every page. In a cold mold that gives pages back for nothing. A promoted mold shares its pages with workers, so it
    # would get a second set of all of them, until the last worker of the old generation has exited. And it gives back
    # next to nothing, since workers fill the free slots again: there one collection is enough
    # (docs/decisions/0013-no-compaction-of-shared-heaps.md).
    class HeapPreparation
      # The preparation takes up to seconds of a processor, which workers need on a small machine. With a nice value
      # that is higher by 5 it gets a third of what each of them gets (see sched(7): a step is a factor of 1.25). That
      # is why Settings#mold_timeout is as long as it is.
      NICENESS = 5

      FRAGMENTED = 0.5 # the share of free slots from which a shared heap is compacted

      # shared: whether other processes have the pages of this heap as well.
      #: (bool | Symbol, shared: bool) -> void
      def initialize(wanted, shared:)
        @wanted = wanted
        @shared = shared
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

      # Before Ruby 3.3 survivors of three major collections are old, so that later minor collections do not mark and so
      # do not copy their pages. No compaction: old C extensions crash in it.
      def prepare_heap
        return 3.times { GC.start } unless Process.respond_to?(:warmup)
        return Process.warmup unless @shared

        GC.start
        Process.warmup if fragmented?
      end

      def fragmented? = GC.stat(:heap_free_slots) > GC.stat(:heap_available_slots) * FRAGMENTED
    end
  end
end
