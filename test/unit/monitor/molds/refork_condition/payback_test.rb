# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/payback_play"

module Coppice
  class Monitor
    module ReforkCondition
      # On growth whose right answer can be worked out.
      class PaybackTest < TestCase
        # After how many requests each generation ended. The block answers the private memory, in KiB, of a generation
        # after so many requests.
        def lengths(requests: 100_000, **rest, &growth)
          PaybackPlay.new(**rest, &growth).run(requests).map { |verdict| verdict[:served] }
        end

        def settling(most, within) = ->(requests) { most * (1 - Math.exp(-requests / within.to_f)) }

        test "steady growth: each generation ends where the waste of the moment exceeds the average cost" do
          played = lengths(requests: 400_000, left: 16_000_000, refork_ms: 20_000) { |_, requests| 0.8 * requests }

          # The cost is 2000 requests, each worth 64 MiB. w(n)n - ∫w = 0.4 n² = 2000 × 65,536 gives n = 18,102.
          played.drop(1).each { |served| assert_in_delta 18_102, served, PaybackPlay::STEP }
          assert_operator played.size, :>=, 10
        end

        test "dear reforks are rarer" do
          cheap, dear = [1_000, 10_000].map { |ms| lengths(refork_ms: ms) { |_, requests| 10 * requests }.size }

          assert_operator cheap, :>, dear
          assert_operator dear, :>=, 1
        end

        test "dearer memory makes reforks more frequent" do
          cheap, dear = [0.1, 10].map do |price|
            lengths(price: price, refork_ms: 10_000) { |_, requests| 10 * requests }.size
          end

          assert_operator dear, :>, cheap
        end

        test "what many workers hold is held for less time per request" do
          few, many = [4, 40].map { |workers| lengths(workers: workers, refork_ms: 10_000) { |_, served| 20 * served } }

          assert_operator many[1], :>, few[1]
        end

        test "where memory is short reforks are more frequent" do
          plenty, short = [1_000_000, 10_000].map do |kib|
            lengths(refork_ms: 10_000, left: kib) { |_, requests| 10 * requests }.size
          end

          assert_operator short, :>, plenty
        end

        test "after boot the first comes quickly, and what it cures needs no other" do
          played = lengths { |generation, requests| generation.zero? ? settling(100_000, 400).call(requests) : 5_000 }

          assert_equal 1, played.size
          assert_operator played.first, :<=, 500
        end

        test "a working set that comes back after each fork is no reason forever" do
          played = lengths(requests: 400_000) { |_, requests| settling(100_000, 1000).call(requests) }

          assert_operator played.size, :<=, 6
          assert_operator played.last, :>, 10 * played.first
        end

        test "growth above a working set counts for itself" do
          both = lengths { |_, requests| settling(100_000, 100).call(requests) + (10 * requests) }
          set_alone = lengths { |_, requests| settling(100_000, 100).call(requests) }

          assert_operator both.size, :>, set_alone.size
        end

        # Each is the growth of a server in one of many ways: at a pace of its own, above a working set of its own.
        def histories(count)
          random = Random.new(Minitest.seed)
          Array.new(count) do
            most, within, pace = [200_000, 2_000, 20.0].map { |highest| random.rand(highest) + 1 }
            growth = ->(_, served) { settling(most, within).call(served) + (pace * served) }
            [random.rand(1..8), random.rand(400_000), growth]
          end
        end

        REQUESTS = 20_000

        # Less than `rebuilt` since a refork would have paid without that: a tenth of all memory must be saved besides.
        def assert_growth_too_small(growth, rebuilt, served)
          assert_operator (growth.call(0, REQUESTS) - growth.call(0, served)) * 0.9, :<, rebuilt
        end

        test "memory that each worker makes before it is ready must be earned first, whatever the history" do
          histories(100).each do |workers, rebuilt, growth|
            without, with = [0, rebuilt].map do |kib|
              PaybackPlay.new(workers: workers, rebuilt: kib, &growth).run(REQUESTS).first
            end
            next assert_nil with unless without
            next assert_growth_too_small(growth, rebuilt, without[:served]) unless with

            assert_operator with[:served], :>=, without[:served]
            assert_operator growth.call(0, with[:served]).round, :>=, rebuilt + (workers * Payback::MINIMUM_KIB)
          end
        end

        test "a refork that would share less than the next mold holds in addition is none" do
          grown = settling(200_000, 400)

          refute_empty PaybackPlay.new(workers: 4) { |_, served| grown.call(served) }.run(20_000)
          assert_empty PaybackPlay.new(workers: 4, rebuilt: 256_000) { |_, served| grown.call(served) }.run(20_000)
        end

        test "little growth is none, whatever it would save" do
          assert_empty(lengths { |_, requests| [requests, 8_000].min })
        end

        test "however much it would save, the server rests between two reforks" do
          play = PaybackPlay.new(refork_ms: 1, left: 0) { |_, requests| 1000 * requests }
          play.run(100_000)

          play.pauses.drop(1).each { |pause| assert_operator pause, :>=, Payback::PAUSE.begin * PaybackPlay::ROLLOUT }
        end

        test "a decision has its numbers" do
          verdict = PaybackPlay.new { |_, requests| 100 * requests }.run(5_000).first

          assert_equal({ why: :auto, growth_kib_per_request: 100.0, regrowth: 0.0,
                         cost_requests: 50, available_mib: 976 },
            verdict.slice(:why, :growth_kib_per_request, :regrowth, :cost_requests, :available_mib))
          assert_operator verdict[:gain_requests], :>=, 50
        end

        test "what each worker makes again is a number of the decision unless it is nothing" do
          refute_includes PaybackPlay.new { |_, requests| 100 * requests }.run(5_000).first, :rebuilt_mib
          verdict = PaybackPlay.new(rebuilt: 20_480) { |_, requests| 100 * requests }.run(5_000).first

          assert_equal 20, verdict[:rebuilt_mib]
        end

        test "what the last refork has left of the growth is expected of the next" do
          halving = ->(generation, requests) { (generation.zero? ? 100 : 50) * requests }
          halved = PaybackPlay.new(refork_ms: 10_000, &halving).run(20_000)
          repeated = PaybackPlay.new(refork_ms: 10_000) { |_, requests| 50 * requests }.run(20_000)

          assert_equal [0.5, 1.0], [halved, repeated].map { |verdicts| verdicts[1][:regrowth] }
          assert_operator halved[1][:served], :<, repeated[1][:served]
        end

        test "a refork that came to nothing does not make the next pause longer" do
          payback = Payback.new(price: 4)
          play = PaybackPlay.new { |_, requests| 100 * requests }
          assert payback.judge(play.measurement(generation: 0, requests: 5_000), 100.0)
          refute payback.judge(play.measurement(generation: 0, requests: 10), 101.0)
          payback.judge(play.measurement(generation: 1, requests: 0), 5_000.0) # by the user's wish

          assert payback.judge(play.measurement(generation: 1, requests: 20_000), 5_000.0 + (Payback::PAUSE.begin * 2))
        end
      end
    end
  end
end
