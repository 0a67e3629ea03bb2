# frozen_string_literal: true

module Bench
  # The figures of one server in one round. lobby_us: the part of cpu_us that its lobby used; nil without one.
  HttpResult = Struct.new(:cpu_us, :lobby_us, :load, keyword_init: true) do
    #: () -> Float
    def requests_per_second = load.requests_per_second

    # Whether other servers may be compared with it: failed responses are fast and would flatter it.
    #: () -> bool
    def sound? = load.error_count * 100 <= load.answered && load.answered.positive?
  end

  # The servers side by side, for one application and one way of connecting.
  class HttpTable
    OURS = %w[coppice coppice-direct].freeze
    HEAD = ["server", "CPU µs per request", "CPU, relative to the best peer", "req/s",
            "req/s, relative to the best peer", "p50 ms", "p99 ms", "errors"].freeze
    FLOOR_HEAD = "CPU, relative to #{Servers::FLOOR}".freeze
    LOBBY_HEAD = "of it the lobby".freeze

    #: (Array[Server]) -> void
    def initialize(servers)
      @results = servers.to_h { |server| [server.name, {}] } # name => round => HttpResult
      @reasons = servers.to_h { |server| [server.name, server.missing] } # name => why it has no figures
    end

    # A round without an answer has no figures: nothing can be compared with it.
    #: (Server, Integer, HttpResult) -> void
    def add(server, round, result)
      return explain(server, "answered nothing in a round") if result.load.answered.zero?

      @results[server.name][round] = result
    end

    # Why a server has no figures.
    #: (Server, String) -> void
    def explain(server, reason)
      @reasons[server.name] = reason
    end

    #: () -> Array[String]
    def head = HEAD.dup.insert(2, *(LOBBY_HEAD if lobby?), *(FLOOR_HEAD if floor?))

    #: () -> Array[Array[untyped]]
    def rows = @results.map { |name, results| results.empty? ? empty_row(name) : row(name) }

    # The best peers, and the cost of the load generator.
    #: () -> String
    def remarks
      loads = @results.values.flat_map(&:values).map(&:load)
      return "No server supports this." if loads.empty?

      cost = loads.sum(&:client_cpu_seconds) * 1e6 / [loads.sum(&:answered), 1].max
      busy = loads.map { |load| load.client_cpu_seconds / load.seconds }.max * 100
      peers = "Best peer: #{best_by_cpu} by CPU, #{best_by_speed} by req/s. " if best_by_cpu
      "#{peers}The load generator itself took #{cost.round} µs of CPU per request, and was busy for at most " \
        "#{busy.round} % of the time."
    end

    private

    def lobby? = @results.any? { |_, results| results.each_value.any?(&:lobby_us) }
    def floor? = @results.fetch(Servers::FLOOR, {}).any?

    def empty_row(name) = [name, *(["–"] * (head.size - 2)), @reasons[name]]

    def row(name)
      results = @results[name].values
      loads = results.map(&:load)
      [name, Spread.new(results.map(&:cpu_us)), *(Spread.new(results.map(&:lobby_us)) if lobby?),
       *(ratio(name, Servers::FLOOR, :cpu_us) if floor?),
       ratio(name, best_by_cpu, :cpu_us), Spread.new(results.map(&:requests_per_second)),
       ratio(name, best_by_speed, :requests_per_second),
       milliseconds(loads.map(&:p50_us)), milliseconds(loads.map(&:p99_us)), LoadResult.errors_of(loads)]
    end

    def milliseconds(times_us) = Spread.new(times_us.map { |time| time / 1e3 }).to_s(digits: 2)

    # Compares each round with the same round of the other server, unless that one has exited, and its CPU time with it.
    def ratio(name, base, figure)
      theirs = @results.fetch(base, {}).select { |_, result| result.public_send(figure).positive? }
      both = @results[name].select { |round, _| theirs[round] }
      ratios = both.map { |round, mine| mine.public_send(figure) / theirs[round].public_send(figure) }
      Spread.new(ratios).to_s(digits: 2)
    end

    def best_by_cpu = peers.min_by { |name| median(name, :cpu_us) }
    def best_by_speed = peers.max_by { |name| median(name, :requests_per_second) }

    def peers
      others = @results.except(*OURS, Servers::FLOOR)
      others.select { |_, results| results.any? && results.each_value.all?(&:sound?) }.keys
    end

    def median(name, figure) = Spread.new(@results[name].values.map(&figure)).median
  end
end
