# frozen_string_literal: true

module Coppice
  module Child
    # Prepares a heap for being shared: without garbage, and with all that is left old, since a later minor collection
    # does not mark what is old. That writes to many pages. So it is done where nobody else has them: in a cold mold,
    # and in a worker before it forks a mold (docs/decisions/0013-no-compaction-of-shared-heaps.md).
    module HeapPreparation
      SURVIVALS = 3 # collections that make an object old
      FRAGMENTED = 0.5 # the share of free slots from which a promoted heap is compacted

      class << self
        # In a mold that has booted the application. Process.warmup (Ruby 3.3) compacts as well. Before, old C
        # extensions crash in a compaction.
        #: () -> void
        def compact = Process.respond_to?(:warmup) ? Process.warmup : settle

        # In a worker. Few objects are young after the first collection, so the others take little time.
        #: () -> void
        def settle
          GC.start
          (SURVIVALS - 1).times { GC.start(full_mark: false) }
        end

        #: () -> bool
        def fragmented?
          Process.respond_to?(:warmup) && GC.stat(:heap_free_slots) > GC.stat(:heap_available_slots) * FRAGMENTED
        end
      end
    end
  end
end
