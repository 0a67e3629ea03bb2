# frozen_string_literal: true

require "coppice/tools/top/columns"
require "coppice/tools/top/line"

module Coppice
  module Top
    # The table of processes: molds and others first, then the workers, sorted by one column.
    class ProcessTable
      STYLES = { "busy" => :green, "answered" => :green, "starting" => :cyan, "leaving" => :dim, "idle" => :dim,
                 "overdue" => :red, "stopped" => :red }.freeze

      #: (Meter::Reading, ?sort: Symbol, ?backwards: bool) -> void
      def initialize(reading, sort: :slot, backwards: false)
        @reading = reading
        @sort = COLUMNS.find { |column| column.name == sort }
        @backwards = backwards
        @several_releases = processes.filter_map { |process| process[:release] }.uniq.size > 1
      end

      # The processes with a slot, in the order of the table. What is not known comes last.
      #: () -> Array[Hash[Symbol, untyped]]
      def workers
        known, unknown = processes.select { |process| process[:slot] }
                                  .sort_by { |process| [process[:slot], process[:generation].to_i, process[:pid]] }
                                  .partition { |process| !value(process).nil? }
        sorted = known.each_with_index.sort_by { |process, at| [value(process), at] }.map(&:first)
        sorted.reverse! unless upwards?
        sorted + unknown
      end

      # Molds, services, guests, the observer and the lobby.
      #: () -> Array[Hash[Symbol, untyped]]
      def others
        processes.reject { |process| process[:slot] }
                 .sort_by { |process| [*process.values_at(:role, :name).map(&:to_s), process[:pid]] }
      end

      # The line with the titles.
      #: (Integer) -> Line
      def head(columns)
        cells = shown(columns).map do |column, width|
          title = column.align(column.title, width)
          [title, column.equal?(@sort) ? :reverse : :bold]
        end
        Line.new(*separated(cells))
      end

      # The line of one process.
      #: (Hash[Symbol, untyped], Integer, ?selected: bool) -> Line
      def row(process, columns, selected: false)
        cells = shown(columns).map { |column, width| cell(column, process, width) }
        Line.new(*separated(cells), selected: selected)
      end

      # The columns that fit into this width, each with its own. The release says nothing while all processes run the
      # same one.
      #: (Integer) -> Array[[Column, Integer]]
      def shown(columns)
        chosen = COLUMNS.reject { |column| column.name == :release && !@several_releases }
        while chosen.size > 1 && needed(chosen) > columns
          chosen.delete(chosen.min_by(&:keep))
        end
        spare = [columns - needed(chosen), 0].max
        chosen.map { |column| [column, column.width + (column.flexible? ? spare : 0)] }
      end

      private

      def processes = Array(@reading.stats[:processes])

      def value(process) = @sort.value.call(process, @reading)

      def of_other_release?(process)
        running = @reading.stats.dig(:releases, :running, :number)
        running && process[:release] && process[:release] != running
      end

      def upwards? = (@sort.upwards || false) != @backwards

      def needed(columns) = columns.sum { |column| column.width + 1 } - 1

      # A process without a slot has no requests: its role takes their place.
      def cell(column, process, width)
        return [" " * width, nil] if column.name == :slot && process[:slot].nil?
        return [column.align(Line.cut(role_of(process), width), width), :bold] if column.flexible? && !process[:slot]

        text = column.cell(process, @reading)
        text = "" if text == Units::NOTHING && column.flexible?
        text = Line.cut(Log::Text.escape(text, Log::Text::CONTROL), width)
        [column.align(text, width), style(column, process)]
      end

      # With what a guest runs, for whom, and how much longer it may.
      def role_of(process)
        text = [process[:role], *process[:name], *process[:request]].join(": ")
        notes = [*("uid #{process[:client_uid]}" if process[:client_uid]),
                 *("#{Units.age(process[:time_left])} left" if process[:time_left])]
        Log::Text.escape(notes.empty? ? text : "#{text} (#{notes.join(', ')})", Log::Text::CONTROL)
      end

      def style(column, process)
        case column.name
        when :state then STYLES[column.cell(process, @reading)]
        when :age then :red if process[:overdue]
        when :release then :yellow if of_other_release?(process)
        end
      end

      def separated(cells) = cells.flat_map { |cell| [cell, " "] }[0..-2]
    end
  end
end
