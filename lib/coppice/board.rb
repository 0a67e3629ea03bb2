# frozen_string_literal: true

require "coppice/coppice_ext"
require "coppice/board/columns"
require "coppice/board/layout"
require "coppice/board/row"

module Coppice
  # The gauges of all processes, in memory that they share.
  #
  # The monitor creates it and gives each process one row. A process that replaces another one gets a new row, so that
  # no stale value is read as that of the successor.
  class Board
    # Address space, not memory: a page takes memory only once its row is used. So the board grows with TTIN, and no
    # process must map it again.
    ROW_COUNT = 4096
    LAYOUT = Layout.new(server: SERVER_COLUMNS, row: ROW_COLUMNS, row_count: ROW_COUNT)

    # A new board, owned by the calling process.
    #: () -> Board
    def self.create
      cells = Cells.create(LAYOUT.cells)
      LAYOUT.header.each_with_index { |value, at| cells[at] = value }
      new(cells)
    end

    # The board of another process, by its descriptor. Raises ProtocolMismatch when its layout is another version's.
    #: (Integer) -> Board
    def self.attach(descriptor)
      cells = Cells.attach(descriptor)
      return new(cells) if LAYOUT.of?(cells)

      cells.close
      expected = "its header is not that of layout #{Layout::VERSION}"
      raise ProtocolMismatch, "the board is that of another version of Coppice: #{expected}"
    end

    # The board of a running server, found through the open descriptors of its monitor or of any other of its processes:
    # for tools and tests. Raises Errno::EACCES when the process is another user's, Error when it has no board or does
    # not exist.
    #: (Integer) -> Board
    def self.of_process(pid)
      link = Dir.glob("/proc/#{pid}/fd/*").find { |path| leads_to_board?(path) }
      raise Error, "process #{pid} is no Coppice monitor" unless link

      File.open(link, "r+") { |file| attach(file.fileno) }
    end

    # The process may close a descriptor meanwhile.
    def self.leads_to_board?(link)
      File.readlink(link).include?("memfd:coppice-board")
    rescue Errno::ENOENT
      false
    end
    private_class_method :leads_to_board?

    #: (Cells) -> void
    def initialize(cells)
      @cells = cells
    end

    # The descriptor of the memory file, for a process that does not inherit the mapping.
    #: () -> Integer
    def fileno = @cells.fileno

    # Unmaps it in this process only.
    #: () -> void
    def close = @cells.close

    #: (Integer) -> Row
    def row(index)
      raise ArgumentError, "row #{index} of #{ROW_COUNT}" unless index.between?(0, ROW_COUNT - 1)

      Row.new(@cells, LAYOUT.row_at(index), index)
    end

    # The rows of processes that have registered and are not reaped yet.
    #: () -> Array[Row]
    def rows = (0...rows_count).map { |index| row(index) }.select(&:used?)

    Layout.offsets(SERVER_COLUMNS).each do |column, offset|
      at = LAYOUT.server_at + offset
      define_method(column.name) { @cells[at] }
      define_method(:"#{column.name}=") { |value| @cells[at] = value }
    end
  end
end
