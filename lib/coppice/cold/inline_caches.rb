# frozen_string_literal: true

require "objspace"

module Coppice
  module Cold
    # How many of the caches inside of methods were filled between `start` and `stop`: one for each place that names a
    # constant, one for each method that is called somewhere. Each is written into the code that it belongs to, which makes the
    # page private. Only running the code fills them; the few of our own watching are counted, too.
    class InlineCaches
      KINDS = { constants: :imemo_constcache, calls: :imemo_callcache }.freeze

      def start #: () -> void
        @before = count
      end

      def stop #: () -> void
        @after = count
      end

      # Never below zero: a redefinition may empty more than were filled.
      def filled #: () -> Hash[Symbol, Integer]
        KINDS.transform_values { |type| [@after.fetch(type, 0) - @before.fetch(type, 0), 0].max }
      end

      private

      def count
        GC.start # what nobody uses any more is none
        ObjectSpace.count_imemo_objects
      end
    end
  end
end
