# frozen_string_literal: true

module Coppice
  module Config
    # A frozen table of named rows: options, hooks, or options of `listen`.
    class Catalogue
      include Enumerable #[untyped]

      #: (Array[untyped]) -> void
      def initialize(rows)
        @rows = rows.to_h { |row| [row.name, row] }.freeze
        freeze
      end

      # In the order of the table.
      #: () { (untyped) -> void } -> void
      def each(&block)
        @rows.each_value(&block)
      end

      # Raises KeyError for a name that is not in the catalogue.
      #: (Symbol) -> untyped
      def [](name)
        @rows.fetch(name)
      end

      #: (Symbol) -> bool
      def include?(name)
        @rows.key?(name)
      end

      def names #: () -> Array[Symbol]
        @rows.keys
      end
    end
  end
end
