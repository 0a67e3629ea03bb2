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
    Process.wait(child)

    assert_equal child, @board.row(1).pid
  end

  test "the header names every column" do
    bytes = IO.for_fd(@board.fileno, autoclose: false).pread(4096, 0)
    text = bytes.byteslice(64..).delete("\0")

    assert_equal "server: monitor_pid workers_count generation shutting_down rows_count\n" \
                 "row: role nr generation pid ready deadline_ms started_ms requests seen_ms not_fork_safe timed_out " \
                 "refused dropped_headers request:16 measured_ms measured_requests rss_kib pss_kib private_kib " \
                 "private_at_start_kib anonymous_kib cpu_ms cpu_at_start_ms compiles allocations:24\n", text
  end

  test "a board of another version, of other columns or of nothing is refused" do
    refuse_cells(Coppice::Cells.create(4096))
    refuse_cells(Coppice::Cells.create(1))
    { 1 => 3, 4 => 8, 8 => 0 }.each do |at, value| # the version, a size, the text
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
    columns.each { |column| row.public_send(:"#{column.name}=", column.text? ? "x" * 8 * column.cells : 1) }

    full = columns.map { |column| column.text? ? "x" * 8 * column.cells : 1 }
    empty = columns.map { |column| column.text? ? "" : 0 }
    assert_equal full, columns.map { |column| row.public_send(column.name) }
    assert_equal empty, columns.map { |column| neighbour.public_send(column.name) }
  end

  test "sizes follow from the tables of columns, in whole cache lines" do
    layout = layout_of(1, 8)

    assert_equal [8, layout.server_at + 8, layout.server_at + 16], positions(layout)
    layout = layout_of(9, 65)

    assert_equal [72, layout.server_at + 16, layout.server_at + 88], positions(layout)
    assert_equal layout.row_at(2), layout.cells
    assert_equal 0, layout.server_at % 8
  end

  def positions(layout) = [layout.row_cells, layout.row_at(0), layout.row_at(1)]

  test "the header is as long as the names of all columns need" do
    layout = layout_of(9, 500)

    assert_equal layout.header.size, layout.header[2]
    assert_includes layout.header.drop(8).pack("q*").delete("\0"), " column499\n"
  end

  # Of so many columns of the server and of a row, for two rows.
  def layout_of(*counts)
    server, row = counts.map { |count| Coppice::Board::Column.table(*Array.new(count) { |index| [:"column#{index}"] }) }
    Coppice::Board::Layout.new(server: server, row: row, row_count: 2)
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
end
