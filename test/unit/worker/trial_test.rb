# frozen_string_literal: true

require "test_helper"
require "coppice/worker/trial"

module Coppice
  class Worker
    class TrialTest < TestCase
      def setup
        @board = Board.create
        @board.generation = 3
        @board.trial_watched = 1
        @row = @board.row(0)
        @row.assign(role: :worker, nr: 0, generation: 4)
        @trial = Trial.of(@board, @row)
      end

      def teardown = @board.close

      test "each failure is told once" do
        count(failures: 1)
        assert_equal [true, false], [@trial.failed?, @trial.failed?]

        count(failures: 2)
        assert_predicate @trial, :failed?
      end

      test "what it had counted before does not count, nor do other answers" do
        count(failures: 7)
        trial = Trial.of(@board, @row)
        count(failures: 7, client_errors: 9)

        refute_predicate trial, :failed?
      end

      test "a failure that nobody compares is none" do
        @board.trial_watched = 0
        count(failures: 1)

        refute_predicate @trial, :failed?
      end

      test "it is over with the commit, and a worker of a committed mold has none" do
        refute_predicate @trial, :over?
        @board.generation = 4

        assert_predicate @trial, :over?
        assert_nil Trial.of(@board, @row)
      end

      private

      def count(failures:, client_errors: 0) = @row.responses = [0, 0, 0, client_errors, failures]
    end
  end
end
