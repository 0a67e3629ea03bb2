# frozen_string_literal: true

require "json"
require "coppice/cold/advice"
require "coppice/memory/mapping_kinds"

module Coppice
  module Cold
    # The analysis of one path as text for people.
    class TextReport
      LINES_OF_BACKTRACE = 5
      LABEL = 20
      SHOWN_KIB = 52 # what is not rounded to 0.0 MiB
      NAMES_WIDTH = 60

      # top: how many rows of each list.
      #: (PathAnalysis, source_paths: SourcePaths, top: Integer) -> void
      def initialize(analysis, source_paths:, top:)
        @analysis = analysis
        @source_paths = source_paths
        @top = top
      end

      def lines #: () -> Array[String]
        ["GET #{@analysis.path}#{status}", *indented(@analysis.failure ? failure : [*figures, *lists, *advice])]
      end

      private

      def status
        code = @analysis.status or return
        remark = (" to #{@analysis.location}" if @analysis.location) || (", an error page may be all that was warmed" if code >= 400)
        "  #{code}#{remark}"
      end

      # The application's own lines say most; the first one is where it was raised.
      def failure
        first, *others = @analysis.failure.backtrace
        trace = [first, *others.select { |line| @source_paths.own?(line) }].compact.first(LINES_OF_BACKTRACE)
        ["failed: #{@analysis.failure.message}", *indented(trace.map { |line| @source_paths.short(line) })]
      end

      def figures
        times = @analysis.times
        [row("time", pair(times.map(&:wall_ms), "ms")), row("processor time", pair(times.map(&:cpu_ms), "ms")), *memory]
      end

      def memory
        growth = @analysis.memory
        kinds = Memory::MappingKinds::NAMES.select { |kind, _| growth.any? { |kib| kib.fetch(kind, 0) >= SHOWN_KIB } }
        [row("private memory", pair(growth.map { |kib| mib(kib.values.sum) }, "MiB")),
         *kinds.map { |kind, name| row("  #{name}", pair(growth.map { |kib| mib(kib.fetch(kind, 0)) }, "MiB")) }]
      end

      def lists
        [*list("files loaded", @analysis.files.size, @analysis.files.map { |path| @source_paths.short(path) }),
         *list("templates compiled", @analysis.templates.size, @analysis.templates.map { |path| @source_paths.short(path) }),
         *definitions("methods defined", @analysis.defined_methods, @analysis.runtime_methods),
         *definitions("constants set", @analysis.defined_constants, @analysis.runtime_constants),
         *list("remembered", "#{@analysis.memos.size} variables of classes and modules", @analysis.memos.map { |memo| memo_row(memo) }),
         row("inline caches", @analysis.inline_caches.map { |kind, count| "#{count} of #{kind}" }.join(", ")), *retained]
      end

      def retained
        sites = @analysis.retained
        amount = format("%<objects>d, %<mib>.2f MiB", objects: sites.sum(&:objects), mib: mib(sites.sum(&:bytes) / 1024))
        list("objects left", amount, sites.map { |site| site_row(site) })
      end

      def definitions(title, all, runtime)
        names = runtime.sum { |group| group.names.size }
        beside = all.sum { |group| group.names.size } - names
        list(title, "#{names}#{" (and #{beside} of the files and templates above)" if beside.positive?}",
          in_order(runtime).map { |group| group_row(group) })
      end

      # First what was written by whoever reads this.
      def in_order(groups)
        groups.sort_by { |group| [group.file && @source_paths.own?(group.file) ? 0 : 1, -group.names.size] }
      end

      def group_row(group)
        names = "#{group.owner}#{group.names.join(', ')}"
        names = "#{names[0, NAMES_WIDTH]}…" if names.size > NAMES_WIDTH
        format("%<count>5d  %<names>s  %<where>s", count: group.names.size, names: names, where: where(group.file, group.line))
      end

      def where(file, line) = file.to_s.empty? ? "in C" : "#{@source_paths.short(file)}:#{line}"

      def memo_row(memo)
        format("%<kib>7.1f KiB  %<name>s  %<where>s", kib: memo.bytes / 1024.0, name: memo.name, where: where(memo.file, memo.line))
      end

      def site_row(site)
        format("%<kib>7.1f KiB %<objects>6d  %<where>s  %<type>s",
          kib: site.bytes / 1024.0, objects: site.objects, where: where(site.file, site.line), type: site.type)
      end

      # Nothing at all where there is nothing.
      def list(title, amount, rows)
        return [] if rows.empty? && amount.to_i.zero?

        more = rows.size - @top
        [row(title, amount), *indented(rows.first(@top)), *(indented(["… and #{more} more (--top #{rows.size})"]) if more.positive?)]
      end

      def advice
        lines = Advice.new(@analysis, source_paths: @source_paths).lines
        return ["nothing to do at boot: what is left are caches inside of methods, and reforking shares them"] if lines.empty?

        ["to do", *indented(lines)]
      end

      def pair(values, unit)
        format("first %<first>9.1f %<unit>s, second %<second>9.1f %<unit>s", first: values[0], second: values[1], unit: unit)
      end

      def row(title, text) = "#{title.ljust(LABEL)}#{text}"
      def mib(kib) = kib / 1024.0
      def indented(rows) = rows.map { |text| "  #{text}" }
    end

    # All analyses as one JSON document, for programs: an array with an object for each path. Lists are whole.
    class JsonReport
      #: (Array[PathAnalysis], source_paths: SourcePaths) -> void
      def initialize(analyses, source_paths:)
        @analyses = analyses
        @source_paths = source_paths
      end

      def text #: () -> String
        JSON.pretty_generate(@analyses.map { |analysis| document(analysis) })
      end

      private

      def document(analysis)
        facts = analysis.to_h.compact.transform_values { |value| plain(value) }
        analysis.failure ? facts : facts.merge(todo: Advice.new(analysis, source_paths: @source_paths).lines)
      end

      def plain(value)
        case value
        when Struct then value.to_h.transform_values { |inner| plain(inner) }
        when Array then value.map { |inner| plain(inner) }
        else value
        end
      end
    end
  end
end
