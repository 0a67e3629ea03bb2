# frozen_string_literal: true

require "coppice/coppice_ext"
require "coppice/board/columns"
require "coppice/board/layout"
require "coppice/board/lobby_columns"
require "coppice/board/record"
require "coppice/board/record_columns"
require "coppice/board/row"
require "coppice/errors"
require "coppice/version"

module Coppice
  # The gauges of all processes, in memory that they share.
  #
  # The monitor creates it and gives each process one row. A process that replaces another one gets a new row, so that
  # no stale value is read as that of the successor; what the row has counted is kept in the record of its slot.
  class Board
    # Address space, not memory: a page takes memory only once its row is used. So the board grows with TTIN, and no
    # process must map it again.
    ROW_COUNT = 4096
    REGIONS = { server: [SERVER_COLUMNS, 1], ledger: [LEDGER_COLUMNS, 1],
                row: [ROW_COLUMNS, ROW_COUNT], slot: [COUNT_COLUMNS, SLOT_COUNT + 1],
                exit: [EXIT_COLUMNS, EXITS_KEPT], promotion: [PROMOTION_COLUMNS, PROMOTIONS_KEPT],
                finding: [FINDING_COLUMNS, FINDINGS_KEPT], moment: [MOMENT_COLUMNS, MOMENTS_KEPT],
                release: [RELEASE_COLUMNS, RELEASES_KEPT + 1], lobby: [LOBBY_COLUMNS, 1] }.freeze
    LAYOUT = Layout.new(**REGIONS)
    RECORDS = REGIONS.except(:row).transform_values { |columns, _| Record.of(columns) }.freeze
    private_constant :REGIONS, :RECORDS
    CELL_BYTES = 8

    # How often, and how long in between, a reader waits for a fold to end. It takes microseconds, unless the monitor
    # was stopped or killed in the middle of it.
    FOLD_LOOKS = 50
    FOLD_PAUSE = 0.002 # seconds

    # A new board, owned by the calling process. Raises Error where a file may not be so large.
    #: () -> Board
    def self.create
      cells = Cells.create(LAYOUT.cells)
      cells.write(0, LAYOUT.header)
      new(cells)
    rescue Errno::EFBIG => error
      raise Error, "memory of #{LAYOUT.cells * CELL_BYTES} bytes is to be shared, but the limit of file sizes is " \
                   "lower (#{error.message}): raise it (ulimit -f, LimitFSIZE=)"
    end

    # The board of another process, by its descriptor. Raises ProtocolMismatch when its layout is another version's.
    #: (Integer, ?read_only: bool) -> Board
    def self.attach(descriptor, read_only: false)
      cells = Cells.attach(descriptor, read_only)
      return new(cells) if LAYOUT.of?(cells)

      cells.close
      expected = "its header is not that of layout #{Layout::VERSION}"
      raise ProtocolMismatch, "the board is that of another version of Coppice: #{expected}"
    end

    # The board of a running server, found through the open descriptors of its monitor or of any other of its processes:
    # for tools and tests, which may write to it only if they say so. Raises Errno::EACCES when the process is another
    # user's, Error when it has no board or does not exist.
    #: (Integer, ?read_only: bool) -> Board
    def self.of_process(pid, read_only: true)
      link = Dir.glob("/proc/#{pid}/fd/*").find { |path| leads_to_board?(path) }
      raise Error, "process #{pid} is no Coppice monitor" unless link

      File.open(link, read_only ? "r" : "r+") { |file| attach(file.fileno, read_only: read_only) }
    end

    # The process may close a descriptor meanwhile.
    def self.leads_to_board?(link)
      File.readlink(link).include?("memfd:coppice-board")
    rescue Errno::ENOENT
      false
    end
    private_class_method :leads_to_board?

    attr_reader :cells  #: Cells
    attr_reader :server #: Record -- of SERVER_COLUMNS
    attr_reader :lobby  #: Record -- of LOBBY_COLUMNS

    #: (Cells) -> void
    def initialize(cells)
      @cells = cells
      @server = record(:server)
      @lobby = record(:lobby)
    end

    # The descriptor of the memory file, for a process that does not inherit the mapping.
    #: () -> Integer
    def fileno = @cells.fileno

    # Unmaps it in this process only.
    #: () -> void
    def close = @cells.close

    # Raises ArgumentError for one that the board does not have, as the next methods do.
    #: (Integer) -> Row
    def row(index) = Row.new(@cells, LAYOUT.at(:row, index), index)

    # The first cell of a column in each row that may be in use. Other rows hold zeros.
    #: (Symbol) -> Array[Integer]
    def places(column)
      first, stride = row_places(column)
      Array.new(rows_count) { |index| first + (index * stride) }
    end

    # The rows, by their indexes, in which a column of times holds one up to this, and the first time after it; 0: none.
    #: (Symbol, Integer) -> [Array[Integer], Integer]
    def due(column, time) = @cells.due(*row_places(column), rows_count, time)

    # Sums of so many cells from the first count of each process on: of those that live, and of all that have exited.
    #: (Integer) -> Array[Integer]
    def total_counts(cells)
      slots = [*0...slots_count, SLOT_COUNT].map { |index| LAYOUT.at(:slot, index) }
      @cells.sum(slots + places(Row::FIRST_COUNT), cells)
    end

    # The rows of processes that have registered and are not reaped yet.
    #: () -> Array[Row]
    def rows = (0...rows_count).map { |index| row(index) }.select(&:used?)

    # What the exited workers of a slot have counted; without a number, or beyond SLOT_COUNT: all other processes.
    #: (?Integer?) -> Record
    def slot(nr = nil) = record(:slot, slot_index(nr))

    # What `refork_after :auto` last found.
    #: () -> Record
    def ledger = record(:ledger)

    # The record of a ring that has, or will have, this sequence number.
    #: (Integer) -> Record
    def exit_record(sequence) = record(:exit, (sequence - 1) % EXITS_KEPT)

    #: (Integer) -> Record
    def promotion_record(sequence) = record(:promotion, (sequence - 1) % PROMOTIONS_KEPT)

    #: (Integer) -> Record
    def finding_record(sequence) = record(:finding, (sequence - 1) % FINDINGS_KEPT)

    #: (Integer) -> Record
    def moment_record(sequence) = record(:moment, (sequence - 1) % MOMENTS_KEPT)

    #: (Integer) -> Record
    def release_record(sequence) = record(:release, (sequence - 1) % RELEASES_KEPT)

    # A copy of the record of the committed release: rolls that are given up do not overwrite it.
    #: () -> Record
    def running_release = record(:release, RELEASES_KEPT)

    # Adds what the row has counted to the record of its slot, and takes the row back (monitor). A reader sees both or
    # none of it: see `consistent`.
    #: (Row) -> void
    def fold(row)
      place, = row.place_of(:role)
      counts, = row.place_of(Row::FIRST_COUNT)
      slot = LAYOUT.at(:slot, slot_index(row.role_name == :worker ? row.nr : nil))
      @cells.fold(counts, slot, Row::COUNTS, place, Row::CELLS, @server.place_of(:folds).first)
    end

    # Gives the lobby's row to its next loop, once the one before is reaped (monitor): CPU time is that of one process,
    # so what the row has of it is added to that of the processes without a slot.
    #: (Row, Integer) -> void
    def pass_on(row, pid)
      place, = row.place_of(:cpu_us)
      @cells.fold(place, slot.place_of(:cpu_us).first, 1, place, 1, @server.place_of(:folds).first)
      row.pid = pid
    end

    # Notes what a server is before it serves (monitor). listeners, services and next_release: see the columns.
    #: (listeners: String, ?services: String, ?next_release: String) -> void
    def introduce(listeners:, services: "", next_release: "")
      self.monitor_pid = Process.pid
      self.started_ms = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond)
      self.version = VERSION
      self.ruby = RUBY_DESCRIPTION
      self.directory = Dir.pwd
      self.listeners = listeners
      self.services = services
      self.next_release = next_release
    end

    # The value of the block, which reads totals: no process's counts are in them twice, or missing. The block runs
    # again when the monitor has folded a row meanwhile. If the monitor stands still in the middle of that, the last
    # value has to do.
    #: [T] () { () -> T } -> T
    def consistent
      value = nil
      FOLD_LOOKS.times do
        before = folds
        next Kernel.sleep(FOLD_PAUSE) if before.odd?

        value = yield
        return value if folds == before
      end
      value || yield
    end

    SERVER_COLUMNS.each do |column|
      define_method(column.name) { @server.public_send(column.name) }
      define_method(:"#{column.name}=") { |value| @server.public_send(:"#{column.name}=", value) }
    end

    private

    def record(region, index = 0) = RECORDS.fetch(region).new(@cells, LAYOUT.at(region, index))

    # Where a column begins in the first row, and the distance to the next one.
    def row_places(column)
      [LAYOUT.at(:row) + Row.places.fetch(column).first, LAYOUT.region(:row).record_cells]
    end

    def slot_index(number) = number&.between?(0, SLOT_COUNT - 1) ? number : SLOT_COUNT
  end
end
