# frozen_string_literal: true

require "coppice/top/units"

module Coppice
  module Top
    # A column of the table of processes.
    #
    #   title     its head
    #   width     columns of the terminal
    #   keep      where there is little room, columns with a low number are left out first
    #   value     what the table is sorted by, of a process and a Reading
    #   text      how that value is shown
    #   upwards   whether it is sorted upwards at first: names and places are, amounts are not
    Column = Struct.new(:name, :title, :width, :keep, :upwards, :value, :text, keyword_init: true) do
      #: (Hash[Symbol, untyped], Meter::Reading) -> String
      def cell(process, reading)
        amount = value.call(process, reading)
        amount.nil? ? Units::NOTHING : text.call(amount)
      end

      # Names to the left, numbers to the right.
      #: (String, ?Integer) -> String
      def align(text, columns = width)
        missing = [columns - Terminal.width(text), 0].max
        left? ? text + (" " * missing) : (" " * missing) + text
      end

      def left? = %i[state request].include?(name)

      # What is left of the width is the request's.
      def flexible? = name == :request
    end

    of = ->(key) { ->(process, _) { process[key] } }
    bytes = Units.method(:bytes)

    # The only list of columns, from left to right.
    COLUMNS = [
      Column.new(name: :slot, title: "slot", width: 4, keep: 11, upwards: true, value: of[:slot], text: :to_s.to_proc),
      Column.new(name: :generation, title: "gen", width: 4, keep: 5, value: of[:generation], text: :to_s.to_proc),
      Column.new(name: :release, title: "rel", width: 3, keep: 5.5, value: of[:release], text: :to_s.to_proc),
      Column.new(name: :pid, title: "pid", width: 7, keep: 4, upwards: true, value: of[:pid], text: :to_s.to_proc),
      Column.new(name: :state, title: "state", width: 8, keep: 10, upwards: true, text: :to_s.to_proc,
        value: ->(process, _) { process[:overdue] ? "overdue" : process[:state] }),
      Column.new(name: :request, title: "request", width: 10, keep: 9, upwards: true, value: of[:request],
        text: :to_s.to_proc),
      Column.new(name: :age, title: "for", width: 6, keep: 8, value: of[:request_age], text: Units.method(:seconds)),
      Column.new(name: :requests, title: "served", width: 6, keep: 3, text: Units.method(:count),
        value: ->(process, _) { process[:requests] if process[:slot] }),
      Column.new(name: :rate, title: "req/s", width: 6, keep: 7, text: Units.method(:rate),
        value: ->(process, reading) { reading.slot_rates[process[:slot]] if process[:slot] }),
      Column.new(name: :private, title: "own", width: 5, keep: 6, value: of[:private], text: bytes),
      Column.new(name: :pss, title: "pss", width: 5, keep: 1, value: of[:pss], text: bytes),
      Column.new(name: :cpu, title: "cpu", width: 5, keep: 2, text: Units.method(:percent),
        value: ->(process, reading) { reading.cpu[process[:pid]] })
    ].each(&:freeze).freeze
  end
end
