# frozen_string_literal: true

require_relative "support/lobby_soak"

# Each second a worker is killed, while 32 clients send GET on connections that they keep. No request may fail: the
# lobby gives it to another worker, but only once. So the next worker is killed when all requests that were under way at
# the last death are answered, on a busy machine later than a second. Half of the time the application takes 5 to 50
# milliseconds, so that workers are hit in the middle of requests. This goes on until one has been given to another
# worker.
class WorkerKillsSoak < LobbySoak
  CLIENTS = 32
  MORE = 100 # workers that are killed when the time is over and none was hit in the middle of a request

  def play
    serve("worker_processes 4") do |server|
      ["/", "/slow"].each { |path| kill_workers(server, path) }
    end
  end

  private

  def kill_workers(server, path)
    before = server.board.lobby.retried
    retried = -> { server.board.lobby.retried - before }
    kills = 0
    clients = KeptAliveClients.new(server, clients: CLIENTS, path: path)
    clients.during do
      each_second(@seconds / 2.0) { kills += kill_one(server, clients) }
      MORE.times { kills += kill_one(server, clients) if path == "/slow" && retried.call.zero? }
    end
    failures = clients.failures
    puts "#{path}: #{clients.answers} requests, #{kills} workers killed, #{retried.call} requests given to another, " \
         "#{failures.size} failed, p99 #{clients.p99_ms.round(1)} ms"
    problem("#{path}: requests failed: #{failures.tally}") if failures.any?
    problem("#{path}: no request was given to another worker") if path == "/slow" && retried.call.zero?
  end

  # Answers how many were killed.
  def kill_one(server, clients)
    worker = server.wait(PATIENCE, "a ready worker") { server.ready_workers.sample }
    server.signal(:KILL, to: worker.pid)
    clients.await_answers
    1
  rescue Errno::ESRCH # it was the last victim, which was reaped just now
    0
  end
end

WorkerKillsSoak.main(600)
