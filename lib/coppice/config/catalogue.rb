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

    # How long an option's value holds. Those of the server hold from its start to its end: its sockets and files, and
    # what is in front of all releases. Those of the release hold until `coppice roll` brings the next one, which has a
    # configuration file of its own.
    SCOPES = %i[server release].freeze
  end
end
