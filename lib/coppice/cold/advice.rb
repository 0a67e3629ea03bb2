# frozen_string_literal: true

module Coppice
  module Cold
    # What to do about the analysis of one path: a line for each kind of thing that is worth doing at boot, once, for
    # all workers.
    class Advice
      # Of fewer retained bytes no one need think.
      WORTH_BYTES = 65_536
      WORTH_BYTES_OF_MEMO = 8192 # what Rails remembers of a model is smaller

      # Where Active Model and Active Record define `name`, `name=`, `name?` and their like, of a model's columns.
      ATTRIBUTE_METHODS = %r{/active(?:model|record)-[^/]+/.*/attribute_methods}

      # So many variables are named.
      NAMED = 3

      #: (PathAnalysis, source_paths: SourcePaths) -> void
      def initialize(analysis, source_paths:)
        @analysis = analysis
        @source_paths = source_paths
        @own, @foreign = analysis.files.partition { |path| source_paths.own?(path) }
      end

      def lines #: () -> Array[String]
        [own_files, foreign_files, templates, *methods, memos, retained].compact
      end

      private

      def own_files
        return if @own.empty?

        "#{count(@own, 'file')} of the application loaded by a request: config.eager_load, Zeitwerk's eager_load, or require at boot"
      end

      def foreign_files
        return if @foreign.empty?

        "#{count(@foreign, 'file')} of gems or Ruby loaded by a request: require them at boot, call eager_load! of what autoloads"
      end

      def templates
        return if @analysis.templates.empty?

        "#{count(@analysis.templates, 'template')} compiled by a request: render them at boot, or leave that to reforking"
      end

      def methods
        attribute, other = @analysis.runtime_methods.partition { |group| group.file&.match?(ATTRIBUTE_METHODS) }
        [defined(attribute, "attribute method", "dump the schema cache (bin/rails db:schema:cache:dump) so that boot defines them"),
         defined(other, "method", "call what defines them at boot")]
      end

      def defined(groups, noun, remedy)
        names = groups.flat_map(&:names)
        "#{count(names, noun)} defined by a request#{own_places(groups)}: #{remedy}" unless names.empty?
      end

      def own_places(groups)
        files = groups.filter_map(&:file).select { |file| @source_paths.own?(file) }.uniq
        " (#{some(files.map { |file| @source_paths.short(file) })} first of all)" unless files.empty?
      end

      def memos
        names = own_memos.map(&:name)
        return if names.empty?

        "#{count(names, 'variable')} of the application filled by a request: fill at boot #{some(names)}"
      end

      def retained
        bytes = @analysis.retained.sum(&:bytes) - own_memos.sum(&:bytes)
        return if bytes < WORTH_BYTES

        "#{(bytes / 1_048_576.0).round(1)} MiB of other objects left behind: fill the caches that hold them at boot"
      end

      def own_memos
        @analysis.memos.select { |memo| memo.bytes >= WORTH_BYTES_OF_MEMO && memo.file && @source_paths.own?(memo.file) }
      end

      def some(names) = names.first(NAMED).join(", ") + (names.size > NAMED ? " …" : "")

      def count(things, noun) = "#{things.size} #{noun}#{'s' unless things.one?}"
    end
  end
end
