# frozen_string_literal: true

require "coppice/tools/import/directive"
require "coppice/tools/import/server_files"

module Coppice
  module Import
    # Builds the table of one server: name of a directive => Directive.
    class Table
      NO_SYMLINK = "a path from the file's own place may have no symlink: start the server in the directory by the " \
                   "name that deployments change, or write that name (docs/deploys.md)"
      private_constant :NO_SYMLINK

      #: () { (Table) -> void } -> Hash[Symbol, Directive]
      def self.build(&block)
        table = new
        block.call(table)
        table.to_h.freeze
      end

      def initialize
        @rows = {}
      end

      def to_h = @rows #: () -> Hash[Symbol, Directive]

      # The same name, or `to:`, and the same meaning.
      #: (*Symbol, ?to: Symbol?, ?note: String?) ?{ (Call) -> String? } -> void
      def take(*names, to: nil, note: nil, &rewrite)
        add(names, outcome: :taken, target: (to || names.first).to_s, note: note, rewrite: rewrite)
      end

      # Something is different, which the note says. `recast`: see Directive.
      #: (*Symbol, to: String | Symbol, note: String, ?recast: bool) ?{ (Call) -> String? } -> void
      def change(*names, to:, note:, recast: false, &rewrite)
        add(names, outcome: :changed, target: to.to_s, note: note, rewrite: rewrite, recast: recast)
      end

      # `settled`: see Directive.
      #: (*Symbol, note: String, ?settled: bool) ?{ (Call) -> String? } -> void
      def drop(*names, note:, settled: false, &rewrite)
        add(names, outcome: :dropped, note: note, rewrite: rewrite || ->(_call) {}, settled: settled)
      end

      # A directory, whose path must be absolute here.
      #: (Symbol) -> void
      def take_directory(name)
        take(name, to: :directory) do |call|
          path = call.absolute_path
          call.note = "its path must be absolute" unless path == call.text
          call.note = NO_SYMLINK if call.definition.match?(/\b(?:__dir__|__FILE__|realpath)\b/)
          call.as(:directory, path)
        end
      end

      # A file of the server.
      #: (Symbol, ?to: Symbol) -> void
      def take_file(name, to: name)
        take(name, to: to) do |call|
          ServerFiles.advise(call, call.value)
          call.as(to)
        end
      end

      # A hook. `origins` are expressions of the target's arguments, one for each argument of the original's block.
      # `unknown`: see Directive.
      #: (*Symbol, to: Symbol, ?note: String?, ?origins: Array[String]?, ?unknown: String?) -> void
      def hook(*names, to:, note: nil, origins: nil, unknown: nil)
        add(names, outcome: note ? :changed : :taken, target: to.to_s, note: note, rewrite: nil, hook: true,
          origins: origins, unknown: unknown)
      end

      private

      def add(names, **row)
        directive = Directive.new(names: names.freeze, **row).freeze
        names.each { |name| @rows[name] = directive }
      end
    end
  end
end
