# frozen_string_literal: true

require_relative "support/attackers"
require_relative "support/lobby_soak"

# Attack after attack, with quiet time before each. Beside it a few well-behaved clients send a request every few
# milliseconds: none may fail. Prints their 99th percentile in quiet time and under attack: median, smallest and
# largest of all rounds. Both wait for the same processors as the attackers, so the figures are no rule.
class AttacksSoak < LobbySoak
  CLIENTS = 4
  ROUNDS = 3
  # Answers of so many MiB.
  APP = <<~RUBY
    LARGE = { "/1" => "x" * 1024 * 1024, "/20" => "x" * 20 * 1024 * 1024 }.freeze
    run ->(env) { [200, {}, [LARGE.fetch(env["PATH_INFO"]) { env["QUERY_STRING"] }]] }
  RUBY

  def play
    serve("worker_processes 2\nmax_connections 8000", app: APP) do |server|
      each = @seconds.to_f / (Attackers::KINDS.size * ROUNDS * 2)
      Attackers::KINDS.each_key { |kind| attack(server, kind, each) }
      puts server.board.lobby.to_h.reject { |_, value| [0, ""].include?(value) }
    end
  end

  private

  def attack(server, kind, seconds)
    rounds = Array.new(ROUNDS) do
      [measure(server, seconds, kind), under_attack(server, seconds, kind)]
    end
    quiet, attacked = rounds.transpose
    ratio = median(attacked) / median(quiet)
    puts "#{kind}: p99 #{in_words(quiet)} in quiet, #{in_words(attacked)} under attack, ratio #{ratio.round(2)}"
  end

  # Once no request of the first rush waits.
  def under_attack(server, seconds, kind)
    Attackers.during(kind, server.port) do
      server.wait(PATIENCE) { server.board.lobby.waiting < Attackers::KINDS[:pipelines].first }
      measure(server, seconds, kind)
    end
  end

  # The 99th percentile in milliseconds.
  def measure(server, seconds, kind)
    clients = KeptAliveClients.new(server, clients: CLIENTS, pause: 0.002)
    clients.during { sleep(seconds) }
    problem("#{kind}: #{clients.failures.tally}") if clients.failures.any?
    clients.p99_ms
  end

  def median(values) = values.sort[values.size / 2]

  def in_words(values) = "#{median(values).round(2)} ms (#{values.minmax.map { |value| value.round(2) }.join(' to ')})"
end

AttacksSoak.main(300)
