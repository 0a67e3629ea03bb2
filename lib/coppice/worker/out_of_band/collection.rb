# frozen_string_literal: true

require "coppice/worker/out_of_band/task"

module Coppice
  class Worker
    class OutOfBand
      # `out_of_band :gc`: major garbage collections between requests. From Ruby 3.4 on, requests cause only minor ones,
      # and Ruby says when it would have made a major one. Older Rubies cannot be told that: one is made shortly before
      # Ruby would, and in a request if the worker is never idle until then.
      #
      # A request that takes seconds may fill the heap with old garbage: Ruby collects that as usual.
      class Collection < Task
        # Shares of the limits at which older Rubies make a major collection.
        NEARLY = 0.9

        #: (Worker, Config::Settings) -> Collection?
        def self.of(_worker, settings)
          new if settings.out_of_band == :gc
        end

        # Whether major collections can be kept out of requests.
        #: () -> bool
        def self.exact? = GC.respond_to?(:config) && GC.config.key?(:rgengc_allow_full_mark)

        #: (?exact: bool) -> void
        def initialize(exact: Collection.exact?)
          @exact = exact
          allow(false)
        end

        def name = :gc

        #: () -> bool
        def due?
          allow(false) if @allowed
          return !GC.latest_gc_info(:need_major_by).nil? if @exact

          GC.stat(:old_objects) > GC.stat(:old_objects_limit) * NEARLY ||
            GC.stat(:oldmalloc_increase_bytes) > GC.stat(:oldmalloc_increase_bytes_limit) * NEARLY
        end

        # Whether it was due before the last minor collection already, and the clients have not paused since. Each minor
        # one in its place makes the heap larger.
        #: () -> bool
        def overdue?
          return false unless @exact

          @due_since = due? ? @due_since || GC.count : nil
          !@due_since.nil? && GC.count > @due_since
        end

        #: () -> void
        def call
          GC.start
          @due_since = nil
        end

        #: () -> void
        def note_long_request = allow(true)

        # From now on Ruby makes major collections whenever it needs them.
        #: () -> void
        def cancel = allow(true)

        private

        def allow(full_marks)
          @allowed = full_marks
          GC.config(rgengc_allow_full_mark: full_marks) if @exact
        end
      end
    end
  end
end
