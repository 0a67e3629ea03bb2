# frozen_string_literal: true

require "coppice/errors"

module Coppice
  class Monitor
    # What a user who has asked for a refork, and waits for it, is told: until the commit, or until the rollout has
    # ended as well. That is when no worker of another generation is left, however many workers there are by then.
    class AwaitedRefork
      #: (Roster, rollout: bool) -> void
      def initialize(roster, rollout:)
        @roster = roster
        @succession = roster.succession
        @rollout = rollout
        @before = @succession.generation
        @abandonments = @succession.abandonments
        @news = []
      end

      # What is new since the last call.
      #: () -> Array[String]
      def news = @news.slice!(0..)

      # The last lines; nil while there is something to wait for. Raises Error when that does not come.
      #: () -> Array[String]?
      def outcome
        raise Error, "the server is stopping" if @roster.stopping
        return outcome_of_rollout if @generation
        raise Error, "the new mold was abandoned: #{@succession.abandoned_for}" if abandoned?
        return committed if @succession.generation != @before

        raise Error, "the refork is given up: #{@succession.given_up_for}" unless @succession.asked
      end

      # Called when the time for the commit is over. A rollout may take any time. Raises Error.
      #: () -> void
      def late
        raise Error, why_no_commit unless @generation
      end

      private

      def committed
        @generation = @succession.generation
        @abandonments = @succession.abandonments
        lines = ["generation #{@generation} is committed; its workers replace the others now"]
        return lines unless @rollout

        @news = lines
        nil
      end

      def outcome_of_rollout
        raise Error, "#{interrupted}: generation #{@roster.generation} follows" if @roster.generation != @generation
        # The loss of the mold alone is none: a worker's copy takes its place, of the same generation.
        if @roster.mold.nil? && abandoned?
          raise Error, "#{interrupted}: a mold was abandoned: #{@succession.abandoned_for}"
        end
        return if @roster.workers.any? { |worker| worker.generation != @generation }

        ["all workers are of generation #{@generation} now"]
      end

      def interrupted = "the rollout of generation #{@generation} was interrupted"

      def abandoned? = @succession.abandonments > @abandonments

      def why_no_commit
        return "the new mold is not ready yet; the refork goes on" if @roster.candidate
        return "no fork-safe worker has served a request yet; the refork waits for one" if @roster.settled?

        "the refork waits until every slot is served by one generation"
      end
    end
  end
end
