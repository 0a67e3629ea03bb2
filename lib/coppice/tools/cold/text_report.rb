# frozen_string_literal: true

require "coppice/tools/cold/advice"
require "coppice/tools/memory/mapping_kinds"

module Coppice
  module Cold
    # The analysis of one path as readable text.
    class TextReport
      LINES_OF_BACKTRACE = 5
      LABEL = 20
      SHOWN_KIB = 52 # smaller values round to 0.0 MiB
      NAMES_WIDTH = 60

      # top: the number of rows of each list.
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
        "  #{code}#{remark(code)}"
      end

      def remark(code)
        return " to #{@analysis.location}" if @analysis.location

        ", possibly only an error page was measured" if code >= 400
      end

      # The line that raised, then the application's own lines.
      def failure
        first, *others = @analysis.failure.backtrace
        trace = [first, *others.select { |line| @source_paths.own?(line) }].compact.first(LINES_OF_BACKTRACE)
        ["failed: #{@analysis.failure.message}", *indented(trace.map { |line| @source_paths.short(line) })]
      end

      def figures
        times = @analysis.times
        [row("time", pair(times.map(&:wall_ms), "ms")),
         row("processor time", pair(times.map(&:cpu_ms), "ms")), *memory]
      end

      def memory
        growth = @analysis.memory
        kinds = Memory::MappingKinds::NAMES.select { |kind, _| growth.any? { |kib| kib.fetch(kind, 0) >= SHOWN_KIB } }
        [row("private memory", pair(growth.map { |kib| mib(kib.values.sum) }, "MiB")),
         *kinds.map { |kind, name| row("  #{name}", pair(growth.map { |kib| mib(kib.fetch(kind, 0)) }, "MiB")) }]
      end

      def lists
        caches = @analysis.inline_caches.map { |kind, count| "#{count} of #{kind}" }
        [*paths("files loaded", @analysis.files), *paths("templates compiled", @analysis.templates),
         *definitions("methods defined", @analysis.defined_methods, @analysis.runtime_methods),
         *definitions("constants set", @analysis.defined_constants, @analysis.runtime_constants),
         *memos, row("inline caches", caches.join(", ")), *retained]
      end

      def paths(title, paths) = list(title, paths.size, paths.map { |path| @source_paths.short(path) })

      def memos
        memos = @analysis.memos
        list("memoized", "#{memos.size} variables of classes and modules", memos.map { |memo| memo_row(memo) })
      end

      def retained
        sites = @analysis.retained
        mib = mib(sites.sum(&:bytes) / 1024)
        amount = format("%<objects>d, %<mib>.2f MiB", objects: sites.sum(&:objects), mib: mib)
        list("objects retained", amount, sites.map { |site| site_row(site) })
      end

      def definitions(title, all, runtime)
        names = runtime.sum { |group| group.names.size }
        beside = all.sum { |group| group.names.size } - names
        list(title, "#{names}#{" (and #{beside} of the files and templates above)" if beside.positive?}",
          in_order(runtime).map { |group| group_row(group) })
      end

      # The application's own groups first.
      def in_order(groups)
        groups.sort_by { |group| [group.file && @source_paths.own?(group.file) ? 0 : 1, -group.names.size] }
      end

      def group_row(group)
        names = "#{group.owner}#{group.names.join(', ')}"
        names = "#{names[0, NAMES_WIDTH]}…" if names.size > NAMES_WIDTH
        location = location(group.file, group.line)
        format("%<count>5d  %<names>s  %<location>s", count: group.names.size, names: names, location: location)
      end

      def location(file, line) = file.to_s.empty? ? "in C" : "#{@source_paths.short(file)}:#{line}"

      def memo_row(memo)
        location = location(memo.file, memo.line)
        format("%<kib>7.1f KiB  %<name>s  %<location>s", kib: memo.bytes / 1024.0, name: memo.name, location: location)
      end

      def site_row(site)
        location = location(site.file, site.line)
        format("%<kib>7.1f KiB %<objects>6d  %<location>s  %<type>s",
          kib: site.bytes / 1024.0, objects: site.objects, location: location, type: site.type)
      end

      # No lines for an empty list.
      def list(title, amount, rows)
        return [] if rows.empty? && amount.to_i.zero?

        more = rows.size - @top
        shown = rows.first(@top)
        shown << "… and #{more} more (--top #{rows.size})" if more.positive?
        [row(title, amount), *indented(shown)]
      end

      def advice
        lines = Advice.new(@analysis, source_paths: @source_paths).lines
        if lines.empty?
          return ["nothing to do at boot: the rest are caches inside of methods, which reforking shares"]
        end

        ["to do", *indented(lines)]
      end

      def pair(values, unit)
        first, second = values
        format("first %<first>9.1f %<unit>s, second %<second>9.1f %<unit>s", first: first, second: second, unit: unit)
      end

      def row(title, text) = "#{title.ljust(LABEL)}#{text}"
      def mib(kib) = kib / 1024.0
      def indented(rows) = rows.map { |text| "  #{text}" }
    end
  end
end
