# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/state/succession"

module Coppice
  class Monitor
    class SuccessionTest < TestCase
      # A mold, as far as its successor is concerned.
      Mold = Struct.new(:generation, :cold, keyword_init: true) do
        def cold? = cold || false
        def ready_at = nil
      end

      # Each way from one stage to the next.
      STEPS = {
        %i[idle booting] => ->(succession) { succession.start(Mold.new(generation: 1, cold: true)) },
        %i[idle promoting] => ->(succession) { succession.start(Mold.new(generation: 1)) },
        %i[booting on_trial] => ->(succession) { succession.try(:worker) },
        %i[promoting on_trial] => ->(succession) { succession.try(:worker) },
        %i[on_trial on_trial] => ->(succession) { succession.try(:worker) },
        %i[booting idle] => ->(succession) { succession.commit(0.0) },
        %i[promoting idle] => ->(succession) { succession.commit(0.0) },
        %i[on_trial idle] => ->(succession) { succession.commit(0.0) }
      }.freeze

      # How to come to a stage.
      WAYS = { idle: [], booting: [%i[idle booting]], promoting: [%i[idle promoting]],
               on_trial: [%i[idle promoting], %i[promoting on_trial]] }.freeze

      def setup
        @succession = succession_at(:idle)
      end

      def succession_at(stage)
        Succession.new.tap { |succession| WAYS.fetch(stage).each { |step| STEPS.fetch(step).call(succession) } }
      end

      def abandon(given_up = @succession.candidate, at_once: false, of_release: true)
        @succession.abandon(given_up, "it is broken", 100.0, pause: at_once ? nil : 10, of_release: of_release)
      end

      def commit(generation, cold: false)
        @succession.start(Mold.new(generation: generation, cold: cold))
        @succession.commit(0.0)
      end

      test "each move of the table can be made, and no other one" do
        assert_equal Succession::MOVES.flat_map { |from, to| to.map { |stage| [from, stage] } }.sort, STEPS.keys.sort
        STEPS.each do |(from, to), step|
          succession = succession_at(from)
          step.call(succession)

          assert_equal to, succession.stage
        end
        [%i[booting start], %i[on_trial start], %i[idle try]].each do |stage, call|
          assert_raises(Bug) { succession_at(stage).public_send(call, Mold.new(generation: 9)) }
        end
      end

      test "a candidate that is committed is the mold, and the one before may exit" do
        first = Mold.new(generation: 0, cold: true)
        @succession.start(first)

        assert_nil @succession.commit(0.0)
        assert_same first, commit(1)
        assert_equal [1, 2, nil], [@succession.generation, @succession.next_generation, @succession.candidate]
      end

      test "the wish for a refork is fulfilled by the next generation, not by another mold of the same one" do
        @succession.ask
        commit(0)

        assert @succession.asked
        commit(1)

        refute @succession.asked
      end

      test "a candidate that is abandoned leaves the mold, and the next try comes after the pause" do
        commit(0)
        mold = @succession.mold
        @succession.start(Mold.new(generation: 1))
        abandon

        assert_equal [mold, nil, 1, "it is broken"],
                     [@succession.mold, @succession.candidate, @succession.abandonments, @succession.abandoned_for]
        assert_equal [110.0, 0], [@succession.reforks.not_before, @succession.replacements.failures]
      end

      test "where there is no mold, the replacement waits as well, unless it was killed" do
        @succession.start(Mold.new(generation: 0))
        abandon(at_once: true)

        assert_equal [0, 1], [@succession.replacements.failures, @succession.killed_replacements]
        @succession.start(Mold.new(generation: 0))
        abandon

        assert_equal [1, 0, 110.0],
                     [@succession.replacements.failures, @succession.killed_replacements,
                      @succession.replacements.not_before]
        @succession.start(Mold.new(generation: 1))
        abandon(of_release: false)

        assert_equal 1, @succession.replacements.failures
      end

      test "a mold that cannot fork is given up without a candidate" do
        commit(0)
        abandon(@succession.mold)

        assert_equal [nil, :idle], [@succession.mold, @succession.stage]
      end

      test "a mold that was kept is the one again, of its own generation, and no number comes twice" do
        commit(0)
        kept = @succession.mold
        commit(4)
        @succession.omit_first_requests(4)
        taken_back = @succession.mold

        assert_same taken_back, @succession.reinstate(kept, 50.0)
        assert_equal [0, 5, 0],
                     [@succession.generation, @succession.next_generation, @succession.first_requests_from]
      end
    end
  end
end
