# frozen_string_literal: true

module Coppice
  module Config
    # Ruby's own flags on the command line (-I, -r, -e, -d, -w), in their order. They take effect in the process that
    # loads the application, a cold mold. Only the load path is set in the monitor too, for `require` in the
    # configuration file.
    class RubyFlags
      attr_reader :list #: Array[[Symbol, String?]]

      #: (?Array[[Symbol, String?]]) -> void
      def initialize(list = [])
        @list = list.map { |flag| flag.dup.freeze }.freeze
        freeze
      end

      #: (RubyFlags) -> RubyFlags
      def +(other)
        RubyFlags.new(list + other.list)
      end

      # The folders of all -I flags.
      def load_paths #: () -> Array[String]
        list.flat_map { |kind, value| kind == :include ? value.split(":") : [] }
      end

      # Prepends the folders of all -I flags to the load path.
      def apply_load_paths #: () -> void
        $LOAD_PATH.unshift(*(load_paths - $LOAD_PATH))
      end

      # Runs in a cold mold, before the application is loaded.
      def apply #: () -> void
        apply_load_paths
        list.each_with_index { |(kind, value), index| apply_flag(kind, value, index + 1) }
      end

      private

      def apply_flag(kind, value, number)
        case kind
        when :require then require value
        when :eval then TOPLEVEL_BINDING.eval(value, "-e", number)
        when :debug then $DEBUG = true
        when :warn then $VERBOSE = true
        end
      end
    end
  end
end
