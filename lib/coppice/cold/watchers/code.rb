# frozen_string_literal: true

require "objspace"

module Coppice
  module Cold
    # The files that were required, autoloaded or loaded between `start` and `stop`, in their order.
    #
    # Ruby lists each required file once it is loaded. It has no list of files that `load` runs, so compilation is
    # traced as well. The trace misses files that come from a cache of compiled code (bootsnap), but the list has them.
    class LoadedFiles
      def start #: () -> void
        @before = $LOADED_FEATURES.dup
        @compiled = []
        @trace = TracePoint.new(:script_compiled) do |event|
          @compiled << event.instruction_sequence.absolute_path unless event.eval_script
        end
        @trace.enable
      end

      def stop #: () -> void
        @trace.disable
        @required = $LOADED_FEATURES - @before
      end

      # Absolute paths.
      def paths #: () -> Array[String]
        real = @required.to_h { |path| [File.exist?(path) ? File.realpath(path) : path, true] }
        @required | @compiled.compact.uniq.reject { |path| real[path] }
      end
    end

    # The templates that Action View compiled between `start` and `stop`. Tilt does not report its templates.
    class Templates
      EVENT = "!compile_template.action_view"

      attr_reader :paths #: Array[String]

      def initialize
        @paths = []
      end

      def start #: () -> void
        return unless defined?(::ActiveSupport::Notifications)

        @subscription = ActiveSupport::Notifications.subscribe(EVENT) { |*, payload| @paths << payload[:identifier] }
      end

      def stop #: () -> void
        ActiveSupport::Notifications.unsubscribe(@subscription) if @subscription
      end
    end

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
