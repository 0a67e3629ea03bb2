# frozen_string_literal: true

module Coppice
  class Mold
    # Readies the heap for being shared, before the first fork of a mold. Runs in
    # the mold process, once a life.
    class Warmup
      #: (bool | Symbol) -> void
      def initialize(wanted)
        @wanted = wanted
      end

      # Process.warmup (Ruby 3.3) collects, promotes what survives to the old
      # generation so that the next minor collections do not mark, and so do not
      # copy, these pages, and gives free pages back. Before 3.3: three major
      # collections, after which survivors are old. No compaction there: old C
      # extensions crash in it.
      #: () -> void
      def call
        return unless @wanted

        Process.respond_to?(:warmup) ? Process.warmup : 3.times { GC.start }
      end
    end
  end
end
