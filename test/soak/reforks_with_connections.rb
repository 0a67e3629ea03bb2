# frozen_string_literal: true

require_relative "support/lobby_soak"

# Refork after refork, with 5,000 idle connections (fewer where the limit of descriptors is low) and 50 busy ones. None
# may be lost, and no request may fail.
class ReforksWithConnectionsSoak < LobbySoak
  BUSY = 50
  IDLE = 5000
  REFORKS = 50
  RESERVED = 1000 # descriptors for all else

  def play
    serve("worker_processes 2") do |server|
      idle = idle_clients(server, [IDLE, Process.getrlimit(:NOFILE).first - RESERVED].min)
      clients = KeptAliveClients.new(server, clients: BUSY)
      reforks = clients.during { refork_until(server, now + @seconds) }
      judge(clients, reforks, idle.size, lost(idle))
    end
  end

  private

  def refork_until(server, deadline)
    (1..REFORKS).take_while do |number|
      generation = server.board.generation + 1
      server.signal(:USR2)
      server.wait(PATIENCE, "refork #{number}") { server.settled?(generation) }
      now < deadline
    end.size
  end

  def judge(clients, reforks, idle, lost_idle)
    failures = clients.failures
    puts "#{clients.answers} requests, #{reforks} reforks: #{failures.size} requests failed, " \
         "#{lost_idle} of #{idle} idle connections lost; p99 #{clients.p99_ms.round(1)} ms"
    problem("requests failed: #{failures.tally}") if failures.any?
    problem("#{lost_idle} idle connections were lost") if lost_idle.positive?
  end
end

ReforksWithConnectionsSoak.main(600)
