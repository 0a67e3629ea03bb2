# frozen_string_literal: true

require "objspace"

module Coppice
  module Cold
    # The number of inline caches that were filled between `start` and `stop`: one for each place that names a constant,
    # and one for each method that is called anywhere. Ruby writes a reference to the cache into the code that uses it,
    # which makes the memory page private. Only running the code fills a cache. Caches of the watchers' own code are
    # counted as well.
    class InlineCaches
      KINDS = { constants: :imemo_constcache, calls: :imemo_callcache }.freeze

      def start #: () -> void
        @before = count
      end

      def stop #: () -> void
        @after = count
      end

      # At least zero: a redefinition may empty more caches than were filled.
      def filled #: () -> Hash[Symbol, Integer]
        KINDS.transform_values { |type| [@after.fetch(type, 0) - @before.fetch(type, 0), 0].max }
      end

      private

      def count
        GC.start # unused caches must not count
        ObjectSpace.count_imemo_objects
      end
    end
  end
end
