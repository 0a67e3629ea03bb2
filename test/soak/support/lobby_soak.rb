# frozen_string_literal: true

require "minitest"
require "coppice"
require_relative "../../support/server_over_tcp"
require_relative "kept_alive_clients"

# A long run of a server behind its lobby: a subclass plays it in `play`, prints figures, and notes problems.
class LobbySoak
  # Answers with the query; /slow takes 5 to 50 milliseconds.
  APP = <<~RUBY
    run(lambda do |env|
      sleep(rand(0.005..0.05)) if env["PATH_INFO"] == "/slow"
      [200, { "content-type" => "text/plain" }, [env["QUERY_STRING"]]]
    end)
  RUBY
  PATIENCE = 120 # seconds for what the server or a client does, even on a busy machine
  # No idle connection ends by itself, and no request or fork because the machine is busy.
  LIMITS = <<~RUBY.freeze
    keepalive_timeout 3600, trusted: 3600
    queue_timeout nil
    timeout #{PATIENCE}
    spawn_timeout #{PATIENCE}
  RUBY

  # The program of a file of test/soak: seconds from the command line, status 1 when something was wrong.
  #: (Integer) -> void
  def self.main(default_seconds)
    $stdout.sync = true
    soak = new(Integer(ARGV.fetch(0, default_seconds.to_s)))
    soak.play
    exit soak.conclude
  end

  #: (Integer) -> void
  def initialize(seconds)
    @seconds = seconds
    @problems = []
    @load_before = machine_load
  end

  # Prints the problems, and on the last line their number and how busy the machine was. Answers whether all was well.
  #: () -> bool
  def conclude
    puts(*@problems, "#{@problems.size} problems; machine load #{@load_before} before, #{machine_load} after")
    @problems.empty?
  end

  private

  def problem(text) = @problems << text

  def serve(config, app: APP)
    ServerOverTcp.open(app: app, config: LIMITS + config, listen: { lobby: true }, boot_seconds: PATIENCE) do |server|
      server.wait(PATIENCE, "both processes of the lobby") { server.parts_of_lobby.size == 2 }
      yield server
      stop(server)
    end
  end

  # Clean-up would soon kill what is still there.
  def stop(server)
    server.signal(:TERM)
    server.wait_for_end(PATIENCE)
  end

  # Connections that have asked once.
  def idle_clients(server, count)
    Array.new(count) { KeptAliveClient.new(server).tap(&:ask) }
  end

  # How many of them are not answered any more.
  def lost(clients)
    clients.count do |client|
      client.ask
      false
    rescue KeptAliveClient::Unanswered
      true
    end
  end

  # Calls the block each second until the time is over: seconds for this part.
  def each_second(seconds = @seconds)
    began = now
    (1..).each do |number|
      pause = began + number - now
      sleep(pause) if pause.positive?
      break if now - began >= seconds

      yield number
    end
  end

  def machine_load = File.read("/proc/loadavg").split.first(3).join(" ")

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
