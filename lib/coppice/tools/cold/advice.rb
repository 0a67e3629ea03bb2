# frozen_string_literal: true

module Coppice
  module Cold
    # Recommendations for one path: one line for each kind of work that boot should do once for all workers.
    class Advice
      # Fewer retained bytes are not worth a recommendation.
      WORTH_BYTES = 65_536
      WORTH_BYTES_OF_MEMO = 8192 # more than Rails memoizes for a model

      # The files in which Active Model and Active Record define `name`, `name=`, `name?` … for a model's columns.
      ATTRIBUTE_METHODS = %r{/active(?:model|record)-[^/]+/.*/attribute_methods}

      NAMES_SHOWN = 3

      #: (PathAnalysis, source_paths: SourcePaths) -> void
      def initialize(analysis, source_paths:)
        @analysis = analysis
        @source_paths = source_paths
        @own, @others = analysis.files.partition { |path| source_paths.own?(path) }
      end

      def lines #: () -> Array[String]
        [own_files, other_files, templates, *methods, memos, retained].compact
      end

      private

      def own_files
        return if @own.empty?

        "#{count(@own, 'file')} of the application loaded by a request: " \
          "config.eager_load, Zeitwerk's eager_load, or require at boot"
      end

      def other_files
        return if @others.empty?

        "#{count(@others, 'file')} of gems or Ruby loaded by a request: " \
          "require them at boot, call eager_load! of libraries that autoload"
      end

      def templates
        return if @analysis.templates.empty?

        "#{count(@analysis.templates, 'template')} compiled by a request: " \
          "render them at boot, or leave that to reforking"
      end

      def methods
        attribute, other = @analysis.runtime_methods.partition { |group| group.file&.match?(ATTRIBUTE_METHODS) }
        dump = "dump the schema cache (bin/rails db:schema:cache:dump) so that boot defines them"
        [defined(attribute, "attribute method", dump), defined(other, "method", "call what defines them at boot")]
      end

      def defined(groups, noun, remedy)
        names = groups.flat_map(&:names)
        "#{count(names, noun)} defined by a request#{own_files_of(groups)}: #{remedy}" unless names.empty?
      end

      def own_files_of(groups)
        files = groups.filter_map(&:file).select { |file| @source_paths.own?(file) }.uniq
        " (#{first(files.map { |file| @source_paths.short(file) })})" unless files.empty?
      end

      def memos
        names = own_memos.map(&:name)
        return if names.empty?

        "#{count(names, 'variable')} of the application filled by a request: fill at boot #{first(names)}"
      end

      def retained
        bytes = @analysis.retained.sum(&:bytes) - own_memos.sum(&:bytes)
        return if bytes < WORTH_BYTES

        "#{(bytes / 1_048_576.0).round(1)} MiB of other objects retained: fill the caches that hold them at boot"
      end

      def own_memos
        large = @analysis.memos.select { |memo| memo.bytes >= WORTH_BYTES_OF_MEMO }
        large.select { |memo| memo.file && @source_paths.own?(memo.file) }
      end

      def first(names) = names.first(NAMES_SHOWN).join(", ") + (names.size > NAMES_SHOWN ? " …" : "")

      def count(things, noun) = "#{things.size} #{noun}#{'s' unless things.one?}"
    end
  end
end
