# frozen_string_literal: true

require "minitest"
require "coppice"
require "coppice/stats"
require_relative "../support/closed_loop"
require_relative "../support/loopback_ports"
require_relative "../support/prometheus"
require_relative "../support/server"

# Prometheus scrapes a server under load each second, while it reforks and its processes are killed, and across a
# restart. No counter may go back, but at the restart. No scrape may fail, but while the server is away, and one for
# each observer that was killed.
class PrometheusSoak
  APP = 'run ->(_env) { [200, { "content-type" => "text/plain" }, ["served"]] }'
  REFORKS = 20
  VICTIMS = [:worker, :mold, :worker, :observer].freeze

  def initialize(seconds)
    @seconds = seconds
    @port = LoopbackPorts.free(1).first
    @problems = []
    @reforks = @kills = @answers = 0
  end

  # Answers whether all was well.
  def run
    abort "needs the Debian package prometheus" unless Prometheus.installed?

    Prometheus.scraping("127.0.0.1:#{@port}") do |prometheus|
      2.times { serve(prometheus) }
    end
    puts "#{@answers} requests, #{@reforks} reforks, #{@kills} kills and 1 restart in #{@seconds} s", *@problems
    @problems.empty?
  end

  private

  # One life of the server: half of the time and half of the reforks.
  def serve(prometheus)
    Server.open(app: APP, config: "worker_processes 4\nadmin_listen #{@port}") do |server|
      server.wait { scraped?(prometheus, server) }
      began = now
      @observers_killed = 0
      load = ClosedLoop.new(server, clients: 2, paths: ["/"])
      load.start
      (REFORKS / 2).times { |number| disturb(server, number, began + ((number + 1) * @seconds / REFORKS.to_f)) }
      load.stop
      @answers += load.answers
      server.wait { value(prometheus, "sum(coppice_requests_total)") == server_requests(server) }
      check(prometheus, load, (now - began).floor)
    end
  end

  def scraped?(prometheus, server)
    started = server.board.started_ms / 1000
    value(prometheus, "process_start_time_seconds")&.floor == started && value(prometheus, "coppice_workers_ready") == 4
  end

  def server_requests(server) = Coppice::Stats.new(server.board).to_h[:totals][:requests]

  # A refork, then a death, then quiet until the time has come.
  def disturb(server, number, until_time)
    generation = server.board.generation + 1
    server.signal(:USR2)
    server.wait { server.settled?(generation) }
    @reforks += 1
    role = VICTIMS[number % VICTIMS.size]
    server.signal(:KILL, to: server.rows(role).find(&:ready?).pid)
    @kills += 1
    @observers_killed += 1 if role == :observer
    server.wait { server.settled?(server.board.generation) && server.rows(:observer).any?(&:ready?) }
    pause = until_time - now
    sleep(pause) if pause.positive?
  end

  def check(prometheus, load, seconds)
    prometheus.resets("#{seconds}s").each { |name, series| @problems << "#{name} went back: #{series}" }
    failed = value(prometheus, "count_over_time(up[#{seconds}s]) - sum_over_time(up[#{seconds}s])")
    scrapes = value(prometheus, "count_over_time(up[#{seconds}s])")
    @problems << "#{failed.round} scrapes failed" if failed > @observers_killed
    @problems << "only #{scrapes.round} scrapes in #{seconds} s" if scrapes < seconds - 2
    lost = load.failures # a killed worker takes its request in flight with it
    @problems << "#{lost.size} requests failed: #{lost.tally}" if lost.size > REFORKS / 2
    puts "#{scrapes.round} scrapes in #{seconds} s, #{failed.round} failed, #{@observers_killed} observers killed; " \
         "#{lost.size} requests failed"
  end

  # The value of the only series.
  def value(prometheus, expression) = prometheus.query(expression)&.first&.last

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end

exit PrometheusSoak.new(Integer(ARGV.fetch(0, "600"))).run
