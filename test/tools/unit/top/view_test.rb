# frozen_string_literal: true

require "test_helper"
require "coppice/tools/top/meter"
require "coppice/tools/top/view"
require_relative "../../../support/stats_fixture"

module Coppice
  module Top
    class ViewTest < TestCase
      test "the screen of 80 columns and 24 rows" do
        assert_equal <<~SCREEN.lines(chomp: true), screen
          coppice 4711  serving  generation 12  up 3h20m  http://0.0.0.0:8080
          requests  30.0/s   p50 60.0ms   p99 910ms   errors 0%   total 3120
          workers   [||||||||||||        ] 62.0%   busy 1 of 3   waiting 3
          memory    312M   saved by sharing 1.19G   available 2.10G of 4.00G
          reforks   12   abandoned 1   last 3m04s ago, auto   next in ~300 requests
          release   2 4f2a77e   for 2h30m   in /srv/shop/releases/2
          exits     signal 1   last worker 1, 16s ago GET /crash
          slot  gen     pid state    request           for served  req/s   own   pss   cpu
                 12    5000 idle     mold                -      -      - 1.91M 38.1M    0%
             0   12    5001 busy     GET /products…  1.25s     40   10.0 11.4M 47.7M 25.0%
             1   12    5002 idle                         -     41   10.0 12.4M 47.7M 50.0%
             2   12    5003 idle                         -     42   10.0 13.4M 47.7M 75.0%











          q quit  ? help  enter worker  < > sort  r refork  x replace worker
        SCREEN
      end

      test "a lobby that takes no more clients has a line, and no other" do
        says = [nil, {}, { full: true }, { paused: true }].map do |lobby|
          summary(StatsFixture.at.merge(lobby: lobby && { refused: [], **lobby })).grep(/\Alobby/)
        end

        assert_equal [[], [], ["lobby     refuses requests: as many wait as may"],
                      ["lobby     cannot accept connections"]], says
      end

      test "it has as many lines as the screen, none wider, whatever the size" do
        sizes = [1, 2, 5, 11, 12, 24, 50].product([1, 5, 20, 39, 60, 79, 80, 132])
        wrong = sizes.reject do |rows, columns|
          lines = screen(rows: rows, columns: columns, workers: 30)
          lines.size == rows && lines.all? { |line| Terminal.width(line) <= columns }
        end

        assert_empty wrong
      end

      test "a narrow screen keeps the columns that matter" do
        assert_match(/^slot state +request +for +req\/s$/, screen(columns: 40)[7])
        assert_match(/^slot +gen +pid state +request +for +served +req\/s +own +pss +cpu$/, screen(columns: 120)[7])
      end

      test "many workers scroll with the selection" do
        state = State.new
        pages = %w[g G].map do |key|
          state.press(key, view(state, workers: 30).workers)
          screen(state, workers: 30)
        end

        assert_match(/^ +0 +12 +5001 busy/, pages[0][9])
        assert_match(/\Aworkers 1-14 of 30 /, pages[0].last)
        assert_match(/^ +29 +12 +5030 idle/, pages[1][22])
        assert_match(/\Aworkers 17-30 of 30 /, pages[1].last)
      end

      test "the selected worker is marked over the whole width" do
        painted = view(state_after("j")).lines[10].paint(80, colour: false)

        assert_match(/\A(\e\[7m[^\e]+\e\[0m)+\z/, painted)
        assert_equal 80, painted.gsub(/\e\[\d+m/, "").size
      end

      test "a worker with its figures and its backtrace" do
        state = state_after(:enter)
        state.show_backtrace("0", ["app/a.rb:1", "app/b.rb:2"])

        assert_equal <<~SCREEN.lines(chomp: true), screen(state).first(13)
          coppice 4711  serving  generation 12  up 3h20m  http://0.0.0.0:8080

          worker 0  generation 12  pid 5001  busy

            request        GET /products/7  for 1.25s
            process        3m00s old, 40 requests served, forked by 5000, fork-safe
            memory         own 11.4M (2.86M at its start), pss 47.7M, resident 172M
            processor      25.0% now, 11.0s in all
            answers        first 12.0ms, median 4.00ms
            slot           requests 1040, 5xx 2

            app/a.rb:1
            app/b.rb:2
        SCREEN
      end

      test "a long backtrace scrolls, and not beyond its end" do
        state = state_after(:enter)
        state.show_backtrace("0", Array.new(40) { |number| "frame #{number}" })
        state.press("j", view(state).workers)
        assert_equal "  request        GET /products/7  for 1.25s", screen(state)[3]

        300.times { state.press(:page_down, view(state).workers) }
        assert_equal "  frame 39", screen(state)[22]
      end

      test "a question, and what came of it, stand in the bottom line" do
        state = state_after("r")
        assert_equal "Refork now? y/n", screen(state).last

        state.press("n", view(state).workers)
        state.message = "refork: done"
        assert_equal "refork: done", screen(state).last
      end

      test "help names each key that does something" do
        help = screen(state_after("?")).join("\n")

        ["enter", "r ", "x ", "b ", "q esc", "< >", "o turns"].each { |key| assert_includes help, key }
      end

      test "a server that boots has no figures yet, and is shown all the same" do
        stats = { time: 1.0, server: { pid: 1, state: "booting", generation: 0, workers: 2, workers_ready: 0 },
                  processes: [] }
        lines = View.new(Meter.new.read(stats), state_after(:enter), rows: 24, columns: 80).lines.map(&:to_s)

        assert_equal "coppice 1  booting  generation 0  up -", lines.first.rstrip
      end

      test "workers that are ready are named where there are more or fewer than wanted" do
        stats = StatsFixture.at
        named = [1, 0, -1].map do |more|
          stats[:server][:workers_ready] = stats[:server][:workers] + more
          summary(stats).join[/ready \d.*?(?=   )/]
        end

        wanted = stats[:server][:workers]
        assert_equal ["ready #{wanted} of #{wanted} and 1 surplus", nil, "ready #{wanted - 1} of #{wanted}"], named
      end

      test "other promotions do not count as reforks" do
        boot, roll = %w[boot roll].map { |reason| { reason: reason, refork: false, outcome: "committed", count: 1 } }
        stats = StatsFixture.at
        stats[:reforks] += [boot, roll, { **roll, outcome: "abandoned", count: 3 }]
        stats[:promotions].unshift({ **roll, time: StatsFixture::TIME - 45 })

        assert_includes summary(stats), "reforks   12   abandoned 1   last 3m00s ago, auto   next in ~300 requests"
        stats.merge!(ledger: nil, reforks: [boot], promotions: [{ **boot, time: StatsFixture::TIME }])
        assert_includes summary(stats), "reforks   0"
      end

      test "an exit that was asked for is not among those to look into" do
        stats = StatsFixture.at
        stats[:exits] = { guest: { "client_gone" => 2 }, worker: { "shutdown" => 1, "asked" => 7 } }

        assert_empty summary(stats).grep(/^exits/)
      end

      test "nothing of a request reaches the terminal as a control sequence" do
        stats = StatsFixture.at
        stats[:processes].last[:request] = "GET /\e[2J\u202e\n\xFF"
        stats[:recent_exits].first[:request] = "\e]0;title\a"
        reading = Meter.new.read(stats)
        text = [:table, :worker].map do |mode|
          state = mode == :worker ? state_after("G", :enter) : State.new
          View.new(reading, state, rows: 24, columns: 200).lines.map { |line| line.paint(200, colour: true) }
        end

        assert_empty text.join.scan(/[\p{Cntrl}\u202e](?!\[\d+m)/)
        assert_includes text.join, 'GET /\u{1b}[2J\u{202e}\n\xFF'
      end

      test "a monitor that stands still is said first" do
        stats = StatsFixture.at(0, monitor_beat_age: 12.3)

        assert_match(/\Acoppice 4711  monitor silent for 12s  /,
          View.new(Meter.new.read(stats), State.new, rows: 24, columns: 80).lines.first.to_s)
      end

      private

      def summary(stats) = Summary.new(Meter.new.read(stats)).lines.map(&:to_s)

      def view(state = State.new, rows: 24, columns: 80, workers: 3)
        meter = Meter.new
        reading = [0, 4].map { |seconds| meter.read(StatsFixture.at(seconds, workers: workers)) }.last
        View.new(reading, state, rows: rows, columns: columns)
      end

      # As the terminal shows it.
      def screen(state = State.new, columns: 80, **options)
        view(state, columns: columns, **options).lines.map do |line|
          line.paint(columns, colour: false).gsub(/\e\[\d+m/, "").rstrip
        end
      end

      def state_after(*keys)
        state = State.new
        keys.each { |key| state.press(key, view(state).workers) }
        state
      end
    end
  end
end
