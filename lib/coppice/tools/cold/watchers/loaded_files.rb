# frozen_string_literal: true

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
  end
end
