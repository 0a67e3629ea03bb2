# frozen_string_literal: true

require "test_helper"
require "coppice"
require_relative "../../../../support/payback_play"

module Coppice
  class Monitor
    module ReforkCondition
      # On what real servers have measured (recorded/record.rb): four workers, each generation a recording of its own;
      # those that come later are taken to be like the last one.
      class RecordedTest < TestCase
        FOLDER = File.expand_path("recorded", __dir__)
        # Requests of the busiest worker after which a generation ends, as talks and Pitchfork's documentation have
        # them.
        LISTS = [[50], [50, 100, 1000], [50, 100, 500, nil], [nil]].freeze
        # A recording, and KiB that each request leaks on top of it.
        TRAFFIC = [["constants", 0], ["shop", 0], ["shop", 4], ["shop", 40]].freeze
        REQUESTS = 100_000
        WORKERS = 4

        test "an application that is lazy: what the first refork has cured needs no other" do
          assert_equal 1, replay("constants", requests: 100_000).size
        end

        test "a Rails application: once quickly after boot; what comes back after each fork is no reason" do
          lengths = replay("shop", requests: 100_000)

          assert_operator lengths.first, :<=, 300
          assert_equal 1, lengths.size
        end

        test "what grows on top of it does so at a steady pace" do
          lengths = replay("shop", requests: 400_000, leak: 4)

          assert_operator lengths.size, :>=, 10
          assert_operator lengths.last(5).max, :<=, 1.5 * lengths.last(5).min
          assert_operator lengths.last(5).min, :>, 20 * lengths.first
        end

        test "no list is as good for every application" do
          auto, *lists = [nil, *LISTS].map do |list|
            TRAFFIC.map do |name, leak|
              lengths = list ? lengths_of(list) : replay(name, requests: REQUESTS, leak: leak)
              expense(name, lengths, leak)
            end
          end

          lists.each { |list| assert_operator auto.sum, :<, list.sum }
          auto.zip(*lists).each { |ours, *theirs| assert_operator ours, :<=, 1.35 * theirs.min }
        end

        private

        # Of generations that are as long as a list says, if all workers are equally busy.
        def lengths_of(list)
          lengths = []
          while (count = list.fetch(lengths.size, list.last)) && lengths.sum + (count * WORKERS) < REQUESTS
            lengths << (count * WORKERS)
          end
          lengths
        end

        # In requests: what of the server's memory is held in vain while so many are served, and the work of the
        # reforks.
        def expense(name, lengths, leak)
          generations = recording(name)
          [*lengths, REQUESTS - lengths.sum].each_with_index.sum do |length, number|
            rows = generations[number] || generations.last
            steps = (0...length).step(PaybackPlay::STEP).map { |served| recorded_at(rows, served, leak * served) }
            wasted = steps.sum { |step| step[:waste] / step[:total] * PaybackPlay::STEP }
            next wasted if number.zero?

            wasted + [rows.first["refork_ms"] / rows.last["request_ms"], Payback::FIRST_REQUESTS * WORKERS].max
          end
        end

        # After how many requests each generation ended, while so many were served; with so many more KiB for each.
        def replay(name, requests:, leak: 0)
          generations = recording(name)
          play = PaybackPlay.new(workers: WORKERS) do |generation, served|
            recorded_at(generations[generation] || generations.last, served, leak * served)
          end
          play.run(requests).map { |verdict| verdict[:served] }
        end

        # The rows of each generation.
        def recording(name)
          columns, *rows = File.readlines("#{FOLDER}/#{name}.csv", chomp: true).map { |line| line.split(",") }
          rows.map { |row| columns.zip(row.map(&:to_f)).to_h }.group_by { |row| row["generation"] }.values
        end

        # The last measurement before so many requests; what was not recorded any more is like the end of what was.
        def recorded_at(rows, served, leaked)
          row = rows.reverse_each.find { |one| one["requests"] <= served } || rows.first
          { waste: row["waste_kib"] + leaked, total: row["total_kib"] + leaked,
            refork_ms: row["refork_ms"], request_ms: row["request_ms"] }
        end
      end
    end
  end
end
