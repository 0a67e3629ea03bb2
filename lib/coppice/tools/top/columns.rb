# frozen_string_literal: true

require "coppice/tools/top/column"
require "coppice/tools/top/units"

module Coppice
  module Top
    of = ->(key) { ->(process, _) { process[key] } }
    bytes = Units.method(:bytes)

    # The only list of columns, from left to right.
    COLUMNS = [
      Column.new(name: :slot, title: "slot", width: 4, keep: 11, upwards: true, value: of[:slot], text: :to_s.to_proc),
      Column.new(name: :generation, title: "gen", width: 4, keep: 5, value: of[:generation], text: :to_s.to_proc),
      Column.new(name: :release, title: "rel", width: 3, keep: 5.5, value: of[:release], text: :to_s.to_proc),
      Column.new(name: :pid, title: "pid", width: 7, keep: 4, upwards: true, value: of[:pid], text: :to_s.to_proc),
      Column.new(name: :state, title: "state", width: 8, keep: 10, upwards: true, text: :to_s.to_proc,
        value: lambda do |process, _|
          next "overdue" if process[:overdue]

          process[:state] == "busy" && process[:answered_age] ? "answered" : process[:state]
        end),
      Column.new(name: :request, title: "request", width: 10, keep: 9, upwards: true, value: of[:request],
        text: :to_s.to_proc),
      Column.new(name: :age, title: "for", width: 6, keep: 8, text: Units.method(:seconds),
        value: ->(process, _) { process[:answered_age] || process[:request_age] }),
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
