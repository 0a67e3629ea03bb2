# frozen_string_literal: true

require_relative "equal_slots"

module Bench
  # How long do quick requests wait for others that wait for something themselves? A quarter of the requests of an open
  # loop take QUICK_SECONDS of CPU time, the others sleep. All together they need a part of the slots, or more than all.
  class Mixed < EqualSlots
    QUICK_SECONDS = 0.01
    SLEEP_SECONDS = 1
    QUICK_SHARE = 0.25
    FILLS = [75, 120].freeze # percent of the slots
    TIMEOUT = 60 # seconds that a client waits
    CLIENTS = 500 # connections of an open loop, at most

    #: (Options) -> void
    def initialize(options)
      super(options, app: "mixed.ru")
    end

    private

    def measure(server, round)
      MemoryMap.wait_until_quiet(server) # all workers have started
      { "phases" => FILLS.to_h { |fill| ["#{fill} %", SlotPhase.measure(server) { loads(server, fill, round) }] } }
    end

    # Two generators, as each has percentiles of its own. The seeds differ, or they would send at related instants.
    def loads(server, fill, round)
      rate = rate(fill)
      common = { seconds: seconds, timeout: TIMEOUT, clients: CLIENTS }
      quick = Load.new(server.port, **common, path: "/quick", rate: rate * QUICK_SHARE, seed: 2 * round).start
      waiting = Load.new(server.port, **common, path: "/wait", rate: rate * (1 - QUICK_SHARE), seed: (2 * round) + 1)
                    .start
      { "quick" => quick.finish, "waiting" => waiting.finish }
    end

    # Requests per second that fill this part of the slots.
    def rate(fill)
      seconds = (QUICK_SHARE * QUICK_SECONDS) + ((1 - QUICK_SHARE) * SLEEP_SECONDS)
      slots * fill / 100.0 / seconds
    end

    def introduction
      "#{slots} slots, an open loop of #{seconds} s for each fill. A quarter of the requests are " \
        "quick: they take #{(QUICK_SECONDS * 1000).round} ms of CPU time. The others sleep for #{SLEEP_SECONDS} s. " \
        "At #{FILLS.join(" % and ")} % all requests together need that part of the slots. " \
        "#{@options.rounds} rounds in turn: median (lowest–highest); ratios are taken in a round. Extra is the time " \
        "above #{(QUICK_SECONDS * 1000).round} ms, from the instant at which the request was due. Answers count " \
        "until the last one has come. Of the errors, status is an answer other than 200, timeout a request of more " \
        "than #{TIMEOUT} s."
    end

    def figures = FILLS.flat_map { |fill| figures_of("#{fill} %") }

    def figures_of(name)
      quick = ->(row) { row.phase(name).milliseconds("quick", :p99_us)&.then { |ms| ms - (QUICK_SECONDS * 1000) } }
      workers = { "fewest" => 0, "mean" => 1, "most" => 0 }.each_with_index.map do |(title, digits), index|
        SlotFigure.new("#{name}: workers, #{title}", digits, false, ->(row) { row.phase(name).workers[index] })
      end
      [SlotFigure.new("#{name}: quick requests, extra at p99, ms", 1, true, quick),
       SlotFigure.new("#{name}: answers per second", 1, true, ->(row) { row.phase(name).requests_per_second }),
       SlotFigure.new("#{name}: total PSS, mean, MiB", 0, true, ->(row) { row.phase(name).mean_mib }), *workers]
    end
  end
end
