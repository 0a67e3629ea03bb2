# frozen_string_literal: true

module Coppice
  class Monitor
    class Elasticity
      # Whether more workers were worth it: what waits for a lock, or for a service that is busy itself, looks as if it
      # waited for more workers. Then all of them are busy, and there are no more answers than before.
      class GrowthTrial
        SECONDS = 2.0 # in which answers are counted
        ROUNDS = 2    # of requests, where they take longer than that
        LONGEST = 30.0 # until it counts as worth it
        FIRST_REQUESTS = 5
        # The part of what the new workers would bring, if each was as good as those before, that counts as a gain.
        GAIN = 0.1

        attr_reader :from #: Integer -- number of workers before

        # rate: responses per second before, of these workers, who were all busy.
        #: (Integer, Float) -> void
        def initialize(from, rate)
          @from = from
          @rate = rate
          # Little's law: as many requests were in flight as there were workers.
          @seconds = rate.positive? ? [ROUNDS * from / rate, SECONDS].max : LONGEST
        end

        # :worth_it or :in_vain; nil as long as nobody can tell. Called at each look when all workers are there. Answers
        # count once each worker has had its first requests, which are slow.
        #: (Array[Handle], busy: Integer, responses: Integer, now: Float) -> Symbol?
        def verdict(workers, busy:, responses:, now:)
          @until ||= now + LONGEST
          return :worth_it if now >= @until

          begin_with(workers.size, responses, now) if workers.size != @workers || cold?(workers)
          @looks += 1
          @crowded += 1 if busy >= @workers
          judge(responses, now) if now >= @begun_at + @seconds
        end

        private

        def cold?(workers) = workers.any? { |worker| worker.requests_count < FIRST_REQUESTS }

        def begin_with(workers, responses, now)
          @workers = workers
          @responses = responses
          @begun_at = now
          @looks = @crowded = 0
        end

        # Where some were mostly free, nobody waits any more.
        def judge(responses, now)
          return :worth_it if @crowded * 2 < @looks

          rate = (responses - @responses) / (now - @begun_at)
          rate >= @rate * (1 + (GAIN * (@workers - from) / from)) ? :worth_it : :in_vain
        end
      end
    end
  end
end
