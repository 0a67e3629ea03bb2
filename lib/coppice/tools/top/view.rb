# frozen_string_literal: true

require "coppice/tools/top/detail"
require "coppice/tools/top/line"
require "coppice/tools/top/process_table"
require "coppice/tools/top/state"
require "coppice/tools/top/summary"

module Coppice
  module Top
    # The whole screen as lines: from a reading, the state and the size alone. Touches no terminal.
    class View
      MINIMUM_TABLE = 5 # lines of the table, its head among them, before the summary gets more than one
      KEYS = "q quit  ? help  enter worker  < > sort  r refork  x replace worker"
      KEYS_IN_DETAIL = "esc back  b backtrace  j k scroll  x replace worker  ? help"

      HELP = <<~TEXT.lines(chomp: true).freeze
        up down j k     select a worker; page up, page down, g, G
        enter           the selected worker: its figures, and what it does right now
        < > left right  sort by another column; o turns the order round
        r               refork: replace all workers by copies of the warmest one
        x               replace the selected worker by a fresh fork
        b               in a worker's view: its backtrace once more
        q esc           back, or quit

        requests, p50, p99, req/s and cpu cover the last ten seconds.
        for: age of the request in flight; answered: of the work after its response
        own: memory that no other process shares
        pss: memory, each shared page divided by the processes that share it
        memory, above: the pss of molds, workers, services and guests
      TEXT

      #: (Meter::Reading, State, rows: Integer, columns: Integer) -> void
      def initialize(reading, state, rows:, columns:)
        @reading = reading
        @state = state
        @rows = rows
        @columns = columns
        @table = ProcessTable.new(reading, sort: state.sort, backwards: state.backwards)
      end

      # The workers in the order of the table.
      #: () -> Array[Hash[Symbol, untyped]]
      def workers = @workers ||= @table.workers

      # Number of workers that the table has room for.
      #: () -> Integer
      def page = [@rows - summary.size - others.size - 2, 1].max

      # As many as the screen has, the bottom line last.
      #: () -> Array[Line]
      def lines
        body = body_lines.first([@rows - 1, 0].max)
        blank = Array.new([@rows - 1 - body.size, 0].max) { Line.new }
        [*body, *blank, bottom]
      end

      private

      def body_lines
        case @state.mode
        when :help then [Line.new(["Keys and columns", :bold]), Line.new, *HELP.map { |text| Line.new(text) }]
        when :worker then [summary.first, Line.new, *detail]
        else [*summary, @table.head(@columns), *others, *visible_workers]
        end
      end

      def summary
        @summary ||= Summary.new(@reading).lines.first([@rows - 1 - MINIMUM_TABLE, 1].max)
      end

      # Where hardly a worker has room, the others have none.
      def others
        @others ||= @rows < 12 ? [] : @table.others.first(4).map { |process| @table.row(process, @columns) }
      end

      def visible_workers
        first = @state.offset(workers, page)
        chosen = @state.selected(workers)
        workers[first, page].map { |worker| @table.row(worker, @columns, selected: worker.equal?(chosen)) }
      end

      def detail
        worker = @state.selected(workers)
        lines = Detail.new(worker, @reading, @state.backtrace).lines
        @state.scroll = [@state.scroll, [lines.size - (@rows - 3), 0].max].min
        lines.drop(@state.scroll)
      end

      def bottom
        return Line.new(["#{@state.question.text} y/n ", :bold]) if @state.question
        return Line.new([@state.message, :yellow]) if @state.message

        keys = @state.mode == :worker ? KEYS_IN_DETAIL : KEYS
        keys = "any key: back" if @state.mode == :help
        Line.new(*position, [keys, :dim])
      end

      # Which of the workers are shown, where not all are.
      def position
        return [] if @state.mode != :table || workers.size <= page

        first = @state.offset(workers, page)
        ["workers #{first + 1}-#{[first + page, workers.size].min} of #{workers.size}   "]
      end
    end
  end
end
