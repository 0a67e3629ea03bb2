# frozen_string_literal: true

require "coppice/errors"
require "coppice/monitor/kernel/backoff"
require "coppice/monitor/state/fork_failures"

module Coppice
  class Monitor
    # How one mold follows another: the mold that forks all workers, the candidate that is to take its place, and what
    # has failed on the way. Facts only: Promotion, WarmStart and ReleaseSwitch decide what happens next, MoldActions
    # does it.
    #
    # A refork, in the order of its calls:
    #
    #   ask        a user wants one; with refork_after the server wants it without being asked
    #   start      a worker was told to fork the candidate, or the candidate boots
    #   refuse     the worker is not fork-safe: another one can be told to fork a candidate, or else
    #   try        the candidate was told to fork its first worker, the trial
    #   commit     the candidate is the mold, or else
    #   abandon    the candidate is given up, and the mold stays
    #
    # A mold that is lost (`lose`) is replaced in the same way. A cold mold is followed by a warm one at once where its
    # first worker is to be rehearsed.
    class Succession
      # What is done about the next mold, and what may follow each.
      MOVES = {
        idle: [:booting, :promoting],
        booting: [:on_trial, :idle],   # the candidate loads the application
        promoting: [:on_trial, :idle], # a worker forks the candidate, which gets ready
        on_trial: [:on_trial, :idle]   # its first worker serves beside the others, or a second one without a warm-up
      }.freeze

      # Of a mold: whether it has booted the application, when it was forked, its resident and anonymous KiB, and the
      # CPU time that it took until it could fork.
      MoldUsage = Struct.new(:cold, :forked_at, :rss_kib, :anonymous_kib, :cpu_ms) do
        #: (Handle) -> MoldUsage
        def self.of(mold)
          new(mold.cold?, mold.forked_at, mold.row.rss_kib, mold.row.anonymous_kib, mold.row.cpu_at_start_ms)
        end
      end

      attr_reader :stage              #: Symbol -- a key of MOVES
      attr_reader :mold               #: Handle? -- the committed one
      attr_reader :generation         #: Integer -- the committed one
      attr_reader :candidate          #: Handle? -- a mold that is not committed yet
      attr_reader :trial              #: Handle? -- its first worker
      attr_accessor :rehearsal_due    #: bool -- the cold mold's first worker is to be rehearsed
      attr_accessor :gc_unmeasured    #: bool -- boot once more when a rehearsal has measured what fits
      attr_reader :asked              #: bool -- a user wants a refork
      attr_reader :abandonments       #: Integer -- how many candidates were abandoned
      attr_reader :abandoned_for      #: String? -- why the last one was, for the user who waits: may tell a secret
      attr_reader :given_up_for       #: String? -- why the last refork that a user wanted is not made
      attr_reader :reforks            #: Backoff
      attr_reader :replacements       #: Backoff -- of a lost mold
      attr_reader :early_losses       #: Backoff -- of molds in a row that have exited soon after they were ready
      attr_reader :killed_replacements #: Integer -- in a row, of a lost mold: candidates that were killed
      attr_reader :killed_trials      #: Integer -- in a row: trials killed or never forked; memory may be short
      attr_reader :fork_failures      #: ForkFailures -- of warm molds
      attr_reader :first_requests_from #: Integer -- first generation whose workers reconnect before they are ready

      def initialize
        @stage = :idle
        @generation = @highest_generation = 0
        @asked = @rehearsal_due = @gc_unmeasured = @booted = false
        @abandonments = @killed_replacements = @killed_trials = @first_requests_from = 0
        @reforks = Backoff.new
        @replacements = Backoff.new
        @early_losses = Backoff.new
        @fork_failures = ForkFailures.new
      end

      # A user wants a refork: the pause after a failure is for the server's own tries.
      #: () -> void
      def ask
        @asked = true
        @reforks.end_pause
      end

      #: () -> Integer
      def next_generation = @highest_generation + 1

      #: (Handle) -> void
      def start(candidate)
        move(candidate.cold? ? :booting : :promoting)
        @candidate = candidate
      end

      #: (Handle) -> void
      def try(trial)
        move(:on_trial)
        @trial = trial
      end

      # Returns the mold before, which may exit.
      #: (Float) -> Handle?
      def commit(now)
        @asked = false if candidate.generation > generation
        former = put_in_charge(candidate, now)
        @fork_failures.committed(candidate)
        @booted = true
        end_candidacy
        former
      end

      # Gives up the candidate, or the mold itself when it cannot fork. pause, of_release: as of failed. message: of the
      # exception, if one is why.
      #: (Handle, String, Float, pause: Numeric?, of_release: bool, ?message: String?) -> void
      def abandon(given_up, reason, now, pause:, of_release:, message: nil)
        @abandonments += 1
        @abandoned_for = [reason, message.to_s].reject(&:empty?).join(": ")
        @fork_failures.succeeded if given_up.equal?(mold)
        lose(given_up)
        end_candidacy if candidate
        failed(now, pause: pause, of_release: of_release)
      end

      # The candidate was never forked, and nothing has failed.
      #: () -> void
      def refuse = end_candidacy

      # The refork that a user wants is not made.
      #: (String) -> void
      def give_up_refork(reason)
        @asked = false
        @given_up_for = reason
      end

      # Also when there was no candidate yet. pause: seconds until the next try; nil where the candidate was killed, and
      # another one may follow at once. of_release: whether it would have been the running release's, whose mold is
      # replaced more and more rarely.
      #: (Float, pause: Numeric?, ?of_release: bool) -> void
      def failed(now, pause:, of_release: true)
        @reforks.failed(now, pause: pause || 0)
        return if mold || !of_release
        return @killed_replacements += 1 unless pause

        @replacements.failed(now, pause: pause)
        @killed_replacements = 0
      end

      # This process forks nothing any more: it was told to exit, or it is gone. Another one than the mold changes
      # nothing.
      #: (Handle) -> void
      def lose(handle)
        self.mold = nil if handle.equal?(mold)
      end

      # The mold has exited without being told to. One loss soon after it was ready costs no pause: the workers that it
      # should fork wait for the next mold.
      #: (Handle, Float) -> void
      def lost(mold, now)
        return @early_losses.succeeded if Backoff.steady?(mold.ready_at, now)

        @early_losses.failures.zero? ? @early_losses.failed(now, pause: 0) : @early_losses.failed(now)
      end

      # Whether a lost mold may be replaced.
      #: (Float) -> bool
      def replaceable?(now) = @replacements.over?(now) && @early_losses.over?(now)

      # How often in a row the mold's place was taken in vain.
      #: () -> Integer
      def vain_replacements = @replacements.failures + [@early_losses.failures - 1, 0].max

      # A mold that was kept is the committed one again, and its generation, which is lower. Returns the mold before.
      # What has failed was the release that is taken back: its generation may be the higher one, so workers of this
      # release would be forked without first requests.
      #: (Handle, Float) -> Handle?
      def reinstate(kept, now)
        former = put_in_charge(kept, now)
        @asked = false
        @first_requests_from = 0
        @fork_failures.succeeded
        @fork_failures.committed(kept, since: now)
        former
      end

      # Whether a mold was ever committed: before that a failed boot is final.
      #: () -> bool
      def booted? = @booted

      # What the mold of this generation has measured of itself; also when it is gone. A temporary mold has measured
      # nothing that tells of a refork. nil before the first mold is ready.
      #: () -> MoldUsage?
      def mold_usage = mold&.ready_at && !mold.temporary? ? MoldUsage.of(mold) : @mold_usage

      #: () -> void
      def worker_ready
        @fork_failures.succeeded
        @killed_trials = 0
      end

      # The trial was killed by somebody else, or never forked.
      #: () -> void
      def trial_killed = @killed_trials += 1

      # A worker may have hung in a connection or in its request to itself, for example because the database does not
      # answer. So the workers of this generation are forked without both from now on.
      #: (Integer) -> void
      def omit_first_requests(generation)
        @first_requests_from = [@first_requests_from, generation + 1].max
      end

      private

      def move(stage)
        raise Bug, "succession: #{@stage} to #{stage}" unless MOVES.fetch(@stage).include?(stage)

        @stage = stage
      end

      # Returns the mold before. One that has lived for long ends the row of early losses.
      def put_in_charge(handle, now)
        former = mold
        @early_losses.succeeded if Backoff.steady?(former&.ready_at, now)
        self.mold = handle
        self.generation = handle.generation
        @replacements.succeeded
        @killed_replacements = 0
        former
      end

      def end_candidacy
        move(:idle)
        @candidate = @trial = nil
      end

      # No two generations have the same number.
      def generation=(number)
        @generation = number
        @highest_generation = [@highest_generation, number].max
      end

      def mold=(handle)
        @mold_usage = mold_usage
        @mold = handle
      end
    end
  end
end
