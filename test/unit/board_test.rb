# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/board"

class BoardTest < Coppice::TestCase
  def setup
    @board = Coppice::Board.create
  end

  def teardown
    @board.close
  end

  test "what one mapping stores another one loads" do
    other = Coppice::Board.attach(@board.fileno)
    @board.row(3).requests = 12
    other.workers_count = 5

    assert_equal 12, other.row(3).requests
    assert_equal 5, @board.workers_count
    other.close
  end

  test "a child process stores and the parent loads" do
    child = fork do
      @board.row(1).pid = Process.pid
      exit!(0)
    end
    BoundedWait.status_of(child)

    assert_equal child, @board.row(1).pid
  end

  test "the header names every column" do
    bytes = IO.for_fd(@board.fileno, autoclose: false).pread(Coppice::Board::LAYOUT.header.size * 8, 0)
    lines = bytes.byteslice(64..).delete("\0").lines
    names = lines.to_h { |line| [line[/\A\w+/].to_sym, line[/: (.*)$/, 1].split] }
    tables = { server: :SERVER, ledger: :LEDGER, row: :ROW, slot: :COUNT, exit: :EXIT, promotion: :PROMOTION,
               finding: :FINDING, moment: :MOMENT, release: :RELEASE, lobby: :LOBBY }

    assert_equal tables.transform_values { |name| Coppice::Board.const_get("#{name}_COLUMNS").map(&:to_s) }, names
    assert_includes names[:row], "request:16"
    assert_includes names[:row], "responses[5]"
    assert_match(/\Arow 4096x\d+: role nr /, lines[2])
  end

  test "the lobby counts what the table says, in the same order" do
    text = File.read("ext/coppice/lobby/memory/counters.h")

    numbers = Coppice::Board::LOBBY_COLUMNS.select { |column| column.kind == :number }

    assert_equal text.scan(/^    X\((\w+)\)/).flatten, numbers.map(&:to_s)
  end

  test "a board of another version, of other columns or of nothing is refused" do
    refuse_cells(Coppice::Cells.create(4096))
    refuse_cells(Coppice::Cells.create(1))
    { 1 => 3, 2 => 8, 8 => 0 }.each do |at, value| # the version, the size, the text
      cells = Coppice::Cells.create(4096)
      Coppice::Board::LAYOUT.header.each_with_index { |word, index| cells[index] = word }
      cells[at] = value
      refuse_cells(cells)
    end
  end

  def refuse_cells(cells)
    error = assert_raises(Coppice::ProtocolMismatch) { Coppice::Board.attach(cells.fileno) }

    assert_match(/another version/, error.message)
    cells.close
  end

  test "every column has room of its own, in its row alone" do
    columns = Coppice::Board::ROW_COLUMNS
    row, neighbour = @board.row(0), @board.row(1)
    full = columns.to_h { |column| [column.name, full_value(column)] }
    full.each { |name, value| row.public_send(:"#{name}=", value) }

    assert_equal full, row.to_h
    assert_equal @board.row(9).to_h, neighbour.to_h
  end

  def full_value(column)
    case column.kind
    when :text then "x" * 8 * column.cells
    when :numbers then (1..column.cells).to_a
    else 1
    end
  end

  test "sizes follow from the tables of columns, in whole cache lines" do
    layout = layout_of(1, 8)

    assert_equal [[8, layout.header.size], [8, layout.header.size + 8]], sizes(layout)
    layout = layout_of(9, 65)

    assert_equal [[16, layout.header.size], [72, layout.header.size + 16]], sizes(layout)
    assert_equal layout.at(:rows, 1) + 72, layout.cells
    assert_equal 0, layout.at(:rows) % 8
  end

  def sizes(layout) = [:server, :rows].map { |name| [layout.region(name).record_cells, layout.at(name)] }

  test "the last hour takes at most 4 MiB" do
    region = Coppice::Board::LAYOUT.region(:moment)

    assert_operator region.record_cells * region.records * 8, :<=, 4 * 1024 * 1024
    assert_equal 3600, region.records * Coppice::Board::MOMENT_SECONDS
  end

  test "the header is as long as the names of all columns need" do
    layout = layout_of(9, 500)

    assert_equal layout.header.size, layout.header[2]
    assert_includes layout.header.drop(8).pack("q*").delete("\0"), " column499\n"
  end

  # Of so many columns of the server and of a row, for two rows.
  def layout_of(*counts)
    server, row = counts.map { |count| Coppice::Board::Column.table(*Array.new(count) { |index| [:"column#{index}"] }) }
    Coppice::Board::Layout.new(server: [server, 1], rows: [row, 2])
  end

  test "rows are told apart, and a row past the end is refused" do
    @board.row(0).requests = 1
    @board.row(1).requests = 2

    assert_equal [1, 2], [@board.row(0).requests, @board.row(1).requests]
    assert_raises(ArgumentError) { @board.row(Coppice::Board::ROW_COUNT) }
    assert_raises(ArgumentError) { @board.row(-1) }
  end

  test "an assigned row starts empty" do
    row = @board.row(0)
    row.deadline_ms = 99
    row.assign(role: :worker, nr: 4, generation: 2)

    assert_equal [:worker, 4, 2, 0], [row.role_name, row.nr, row.generation, row.deadline_ms]
    refute_predicate row, :used?
  end

  test "a text is kept as far as it fits, and taken back with its row" do
    row = @board.row(0)
    row.request = "GET /a"
    row.request = "GET /b"

    assert_equal "GET /b", row.request
    row.request = "x" * 200

    assert_equal "x" * 128, row.request
    assert_equal [0, ""], [@board.row(1).role, @board.row(1).request]
    row.clear

    assert_equal "", row.request
  end

  # As a board has it in the instant before its maker gives it a size: who tries until it is there would lose one each
  # time.
  test "cells that cannot be mapped leave no descriptor open" do
    with_tmpdir do |folder|
      File.open("#{folder}/empty", "w+") do |file|
        before = Dir.children("/proc/self/fd").size

        assert_raises(Errno::EINVAL) { Coppice::Cells.attach(file.fileno) }
        assert_equal before, Dir.children("/proc/self/fd").size
      end
    end
  end

  test "cells refuse an index past their end" do
    cells = Coppice::Cells.create(8)

    assert_raises(IndexError) { cells[8] }
    assert_raises(IndexError) { cells[8] = 1 }
    cells.close
    assert_raises(IOError) { cells[0] }
  end

  test "cells are read, written, added up and cleared in blocks" do
    cells = Coppice::Cells.create(16)
    cells.write(2, [1, -2, 2**62])
    cells.write(8, [10, 20, 30])

    assert_equal [0, 1, -2, 2**62, 0], cells.read(1, 5)
    assert_equal [11, 18, (2**62) + 30], cells.sum([2, 8], 3)
    assert_equal [0, 0], cells.sum([], 2)
    assert_equal [5, 4], [cells.add(0, 5), cells.add(0, -1)]
    cells.clear(2, 2)

    assert_equal [4, 0, 0, 0, 2**62, 0], cells.read(0, 6)
    cells.close
  end

  test "of times at equal distances those that have come are found, and the next one" do
    cells = Coppice::Cells.create(16)
    cells.write(0, [9, 20, 9, 9, 0, 9, 9, 10, 9, 9, 30, 9, 9, -5])

    assert_equal [[2, 4], 20], cells.due(1, 3, 5, 10)
    assert_equal [[0, 2, 4], 30], cells.due(1, 3, 5, 20)
    assert_equal [[0, 2, 3, 4], 0], cells.due(1, 3, 5, 30)
    assert_equal [[], 0], cells.due(1, 3, 0, 30)
    assert_equal [[4], 10], cells.due(1, 3, 5, 9)
    assert_raises(IndexError) { cells.due(1, 3, 6, 30) }
    assert_raises(IndexError) { cells.due(1, 0, 2, 30) }
    assert_raises(IndexError) { cells.due(1, 2**62, 5, 30) }
    cells.close
  end

  test "blocks that do not fit are refused, and nothing of them is written" do
    cells = Coppice::Cells.create(8)

    assert_raises(IndexError) { cells.read(7, 2) }
    assert_raises(IndexError) { cells.write(7, [1, 2]) }
    assert_raises(IndexError) { cells.clear(8, 1) }
    assert_raises(IndexError) { cells.sum([0, 7], 2) }
    assert_raises(IndexError) { cells.fold(0, 4, 5, 0, 8, 7) }
    assert_raises(TypeError) { cells.write(0, [1, "2"]) }
    assert_raises(TypeError) { cells.write(0, nil) }
    assert_equal [0] * 8, cells.read(0, 8)
    cells.close
  end

  test "a board that is mapped to read only cannot be written to" do
    reader = Coppice::Board.attach(@board.fileno, read_only: true)
    @board.row(0).requests = 3

    assert_equal 3, reader.row(0).requests
    [-> { reader.row(0).requests = 4 }, -> { reader.row(0).request = "GET /" }, -> { reader.row(0).count(:refused) },
     -> { reader.row(0).clear }, -> { reader.row(0).responses = [1] * 5 },
     -> { reader.fold(reader.row(0)) }].each { |write| assert_raises(IOError, &write) }
    assert_equal 3, @board.row(0).requests
    reader.close
  end

  test "the board of a process is mapped to read only" do
    board = Coppice::Board.of_process(Process.pid)

    assert_raises(IOError) { board.generation = 1 }
    board.close
  end

  test "a worker that must not be promoted now may be asked again later, and one that must never be never" do
    row = @board.row(0)
    safe = ->(ms) { Coppice::OS::Clock.stub(:now_ms, ms) { row.fork_safe? } }
    before = safe.call(5)
    Coppice::OS::Clock.stub(:now_ms, 5) { row.rest_from_promotions }
    rest = [60_004, 60_005].map(&safe)
    row.not_fork_safe = 1

    assert_equal [true, [false, true], false], [before, rest, safe.call(1_000_000)]
  end

  test "a column of numbers counts at a place" do
    @board.row(0).count(:responses, place: 1)
    @board.row(0).count(:responses, 3, place: 4)

    assert_equal [0, 1, 0, 0, 3], @board.row(0).responses
  end
end
