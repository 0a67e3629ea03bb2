# frozen_string_literal: true

require_relative "bar_plot"
require_relative "line_plot"
require_relative "memory_tables"
require_relative "spread"

module Bench
  # Plots of the tables: mean PSS of the servers until each point, and private memory of a worker at the last point.
  # Medians of all rounds.
  class MemoryPlots
    #: (Hash[String, Array[MemoryRun]], points: Array[Integer]) -> void
    def initialize(runs, points:)
      @runs = runs
      @points = points
    end

    #: (Report) -> void
    def write(report)
      return if @runs.empty?

      report.picture "total", alt: "Total PSS over requests, a line for each server", svg: totals.to_s
      report.picture "private", alt: "Private memory of a worker by kind, a bar for each server", svg: kinds.to_s
    end

    private

    def totals
      LinePlot.new("Total PSS, MiB", subtitle: "all processes of a server; a shared page counts once",
        below: "requests so far; mean since the previous point", lines: @runs.map { |label, runs| line(label, runs) })
    end

    def line(label, runs)
      means = @points.each_index.map { |index| runs.map { |run| run.points[index].timeline.mean } }
      heights = [runs.map { |run| run.booted.total_mib }, *means].map { |of_rounds| Spread.new(of_rounds).median }
      LinePlot::Line.new(label: label, points: [0, *@points].zip(heights), **looks(label))
    end

    # A colour for each server, dashes for its variants.
    def looks(label)
      servers = @runs.keys.group_by { |name| server(name) }
      { colour: servers.keys.index(server(label)) % Plot::COLOURS,
        dash: servers.fetch(server(label)).index(label) % LinePlot::DASHES.size }
    end

    def server(label) = label[/\A\w+/]

    def kinds
      BarPlot.new("Private memory of a worker by kind, MiB",
        subtitle: "the median worker after #{Spread.new([@points.last])} requests",
        bars: @runs.transform_values { |runs| private_parts(runs.flat_map { |run| run.points.last.memory.workers }) })
    end

    def private_parts(workers)
      MemoryTables::KINDS.transform_values do |kinds|
        Spread.new(workers.map { |size| size.kinds.values_at(*kinds).sum }).median || 0
      end
    end
  end
end
