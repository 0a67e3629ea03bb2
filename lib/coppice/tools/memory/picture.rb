# frozen_string_literal: true

require "coppice/tools/memory/address_space"
require "coppice/tools/memory/cell_grid"

module Coppice
  module Memory
    # The memory of molds and workers, page by page, as an SVG. Each process has a column. Each kind of mapping has a
    # section, at the same height in all columns. The picture shows what each worker no longer shares.
    class Picture
      CELLS_PER_ROW = 128
      CELL = 2 # pixels
      COLUMN = (CELLS_PER_ROW * CELL) + 24
      MARGIN = 16
      LINE = 16
      HEAD = 112 # the title, the legend and the names of the columns

      # For each process. If a process has more pages, a cell stands for several of them.
      MAXIMUM_CELLS = 100_000

      STATES = { private: "private", shared: "shared", swapped: "swapped out", absent: "not present" }.freeze

      # People with red-green colour blindness can tell these colours apart, on paper and on a dark screen.
      STYLE = <<~CSS
        svg { background: #fff; font: 11px system-ui, sans-serif; fill: #222 }
        .title { font-size: 15px; font-weight: 600 } .name { font-weight: 600 }
        path, line { fill: none; stroke-width: 1 }
        .private { stroke: #d9480f } .shared { stroke: #9cc3e6 }
        .swapped { stroke: #7048e8 } .absent { stroke: #eceef0 }
        @media (prefers-color-scheme: dark) {
          svg { background: #16191d; fill: #e6e8ea }
          .private { stroke: #ff8a3d } .shared { stroke: #2b5c8a }
          .swapped { stroke: #9775fa } .absent { stroke: #24282d }
        }
      CSS

      # Raises Errno::EACCES when this user may not read the processes' pages.
      #: (ServerMemory) -> Picture
      def self.of(server)
        processes = server.processes.reject { |process| process.role == :monitor }
        new(processes.filter_map { |process| AddressSpace.of(process) })
      end

      #: (Array[AddressSpace]) -> void
      def initialize(spaces)
        @spaces = spaces
        @pages_per_cell = [(spaces.map(&:size).max || 0).fdiv(MAXIMUM_CELLS).ceil, 1].max
      end

      def to_s #: () -> String
        width = (MARGIN * 2) + ([@spaces.size, 2].max * COLUMN)
        height = HEAD + parts.values.sum { |grids| part_height(grids) } + MARGIN
        <<~SVG
          <svg xmlns="http://www.w3.org/2000/svg" width="#{width}" height="#{height}" viewBox="0 0 #{width} #{height}"
            role="img" aria-labelledby="title desc">
          <title id="title">Memory of a Coppice server, page by page</title>
          <desc id="desc">#{description}</desc>
          <style>#{STYLE}</style>
          #{head}
          #{columns.join("\n")}
          </svg>
        SVG
      end

      private

      def description
        @spaces.map { |space| "#{space.measurement.name}: #{share(space.measurement.sizes)}." }.join(" ")
      end

      def head
        page = "a page of #{Pagemap::PAGE_BYTES / 1024} KiB"
        scale = @pages_per_cell == 1 ? page : "#{@pages_per_cell} pages, in the state of most of them"
        [text(MARGIN, 24, "Memory page by page", "title"), *legend,
         text(MARGIN, 62, "a cell: #{scale}; long gaps are cut short")].join("\n")
      end

      def legend
        STATES.each_with_index.flat_map do |(state, name), index|
          x = MARGIN + (index * 95)
          line = "<line class=\"#{state}\" style=\"stroke-width:10\" x1=\"#{x}\" x2=\"#{x + 10}\" y1=\"42\" y2=\"42\"/>"
          [line, text(x + 15, 46, name)]
        end
      end

      def columns
        @spaces.each_with_index.map do |space, index|
          measured = space.measurement
          x = MARGIN + (index * COLUMN)
          lines = [text(x, 90, measured.name, "name"), text(x, 104, "pid #{measured.pid}: #{share(measured.sizes)}")]
          "<g>\n#{[*lines, *column(measured, index, x)].join("\n")}\n</g>"
        end
      end

      def column(measured, index, left)
        top = HEAD
        parts.map do |kind, grids|
          sum = measured.kinds.fetch(kind)
          label = "#{MappingKinds::NAMES[kind]}: #{sum ? share(sum) : "-"}"
          drawn = part(grids.fetch(index), left, top, label)
          top += part_height(grids)
          drawn
        end
      end

      # The group is moved down by half a cell, because a line is drawn to both sides of its coordinates.
      def part(grid, left, top, label)
        paths = grid.paths.map { |state, path| "<path class=\"#{state}\" d=\"#{path}\"/>" }
        transform = "translate(#{left} #{top + LINE + (CELL / 2)}) scale(#{CELL})"
        group = "<g shape-rendering=\"crispEdges\" transform=\"#{transform}\">#{paths.join}</g>"
        "#{text(left, top + LINE - 4, label)}\n#{group}"
      end

      # Kind => the processes' grids, for kinds of which any process has a page.
      def parts
        @parts ||= begin
          kinds = MappingKinds::NAMES.keys
          parts = kinds.to_h { |kind| [kind, @spaces.map { |space| grid(space.pages.fetch(kind)) }] }
          parts.reject { |_, grids| grids.all? { |grid| grid.height.zero? } }
        end
      end

      def grid(pages) = CellGrid.new(CellGrid.cells(pages, @pages_per_cell), width: CELLS_PER_ROW)

      def part_height(grids) = (LINE * 2) + (grids.map(&:height).max * CELL)

      def share(sizes) = format("%.1f of %.1f MiB private", sizes.private / 1024.0, sizes.rss / 1024.0)

      def text(left, baseline, words, style = nil)
        "<text x=\"#{left}\" y=\"#{baseline}\"#{" class=\"#{style}\"" if style}>#{words}</text>"
      end
    end
  end
end
