# frozen_string_literal: true

require_relative "slot_row"
require_relative "spread"

module Bench
  # A line of a SlotTable. `value` is called with a SlotRow; nil is no figure. compared: as a ratio to the reference.
  SlotFigure = Struct.new(:name, :digits, :compared, :value)

  # Servers side by side, a column each: the median of all rounds with the lowest and the highest; and the same of its
  # ratios to the reference server in the same round.
  class SlotTable
    #: (Array[Hash[String, untyped]], labels: Array[String], reference: String) -> void
    def initialize(rows, labels:, reference:)
      @rows = rows.map { |row| SlotRow.new(row) }.group_by { |row| row["server"] }
      @labels = labels & @rows.keys
      @reference = reference
    end

    #: () -> Array[String]
    def head = ["", *@labels.flat_map { |label| compared?(label) ? [label, "ratio to #{@reference}"] : [label] }]

    #: (Array[SlotFigure]) -> Array[Array[String]]
    def lines(figures) = [line("version") { |rows| rows.map { |row| row["version"] }.uniq.join(", ") },
                          *figures.map { |figure| figure_line(figure) },
                          *phases.map { |name| line("#{name}, errors") { |rows| errors(rows, name) } }]

    private

    def compared?(label) = label != @reference && @rows.key?(@reference)
    def phases = @rows.values.flatten.flat_map { |row| row.phases.keys }.uniq

    def errors(rows, name)
      loads = rows.filter_map { |row| row.phases[name] }.flat_map { |phase| phase.loads.values }
      loads.empty? ? "–" : LoadResult.errors_of(loads)
    end

    def line(name)
      [name, *@labels.flat_map { |label| [yield(@rows.fetch(label)), *("" if compared?(label))] }]
    end

    def figure_line(figure)
      [figure.name, *@labels.flat_map { |label| [spread(figure, label), *(ratio(figure, label) if compared?(label))] }]
    end

    def spread(figure, label) = Spread.new(@rows.fetch(label).map(&figure.value)).to_s(digits: figure.digits)

    def ratio(figure, label)
      return "" unless figure.compared

      references = @rows.fetch(@reference).to_h { |row| [row["round"], figure.value.call(row)] }
      ratios = @rows.fetch(label).map { |row| quotient(figure.value.call(row), references[row["round"]]) }
      Spread.new(ratios).to_s(digits: 2)
    end

    def quotient(value, reference) = (value.fdiv(reference) if value && reference&.positive?)
  end
end
