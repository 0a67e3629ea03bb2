# frozen_string_literal: true

require "coppice/cold/advice"
require "coppice/memory/kinds"

module Coppice
  module Cold
    # The findings of one path, for a person who wants to do something about them.
    class TextReport
      LINES_OF_BACKTRACE = 5
      LABEL = 20
      SHOWN_KIB = 52 # what is not rounded to 0.0 MiB
      NAMES_WIDTH = 60

      # top: how many rows of each list.
      #: (Findings, place: Place, top: Integer) -> void
      def initialize(findings, place:, top:)
        @findings = findings
        @place = place
        @top = top
      end

      def lines #: () -> Array[String]
        ["GET #{@findings.path}#{status}", *indented(@findings.failure ? failure : [*figures, *lists, *advice])]
      end

      private

      def status
        code = @findings.status or return
        remark = (" to #{@findings.location}" if @findings.location) || (", an error page may be all that was warmed" if code >= 400)
        "  #{code}#{remark}"
      end

      # The application's own lines say most; the first one is where it was raised.
      def failure
        first, *others = @findings.failure.backtrace
        trace = [first, *others.select { |line| @place.own?(line) }].compact.first(LINES_OF_BACKTRACE)
        ["failed: #{@findings.failure.message}", *indented(trace.map { |line| @place.short(line) })]
      end

      def figures
        times = @findings.times
        [row("time", pair(times.map(&:wall_ms), "ms")), row("processor time", pair(times.map(&:cpu_ms), "ms")), *memory]
      end

      def memory
        growth = @findings.memory
        kinds = Memory::Kinds::NAMES.select { |kind, _| growth.any? { |kib| kib.fetch(kind, 0) >= SHOWN_KIB } }
        [row("private memory", pair(growth.map { |kib| mib(kib.values.sum) }, "MiB")),
         *kinds.map { |kind, name| row("  #{name}", pair(growth.map { |kib| mib(kib.fetch(kind, 0)) }, "MiB")) }]
      end

      def lists
        [*list("files loaded", @findings.files.size, @findings.files.map { |path| @place.short(path) }),
         *list("templates compiled", @findings.templates.size, @findings.templates.map { |path| @place.short(path) }),
         *definitions("methods defined", @findings.defined_methods, @findings.runtime_methods),
         *definitions("constants set", @findings.defined_constants, @findings.runtime_constants),
         *list("remembered", "#{@findings.memos.size} variables of classes and modules", @findings.memos.map { |memo| memo_row(memo) }),
         row("inline caches", @findings.inline_caches.map { |kind, count| "#{count} of #{kind}" }.join(", ")), *retained]
      end

      def retained
        sites = @findings.retained
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
        groups.sort_by { |group| [group.file && @place.own?(group.file) ? 0 : 1, -group.names.size] }
      end

      def group_row(group)
        names = "#{group.owner}#{group.names.join(', ')}"
        names = "#{names[0, NAMES_WIDTH]}…" if names.size > NAMES_WIDTH
        format("%<count>5d  %<names>s  %<where>s", count: group.names.size, names: names, where: where(group.file, group.line))
      end

      def where(file, line) = file.to_s.empty? ? "in C" : "#{@place.short(file)}:#{line}"

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
        lines = Advice.new(@findings, place: @place).lines
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
  end
end
