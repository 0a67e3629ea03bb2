# frozen_string_literal: true

module Coppice
  module Cold
    # The files that were required, autoloaded or loaded between `start` and `stop`, in their order.
    #
    # Ruby lists what it required when each is done. What `load` runs it lists nowhere, so compilation is watched as
    # well; a cache of compiled files (bootsnap) hides from that, but not from the list.
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
