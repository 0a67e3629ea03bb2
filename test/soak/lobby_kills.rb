# frozen_string_literal: true

require_relative "support/lobby_soak"

# Each second the lobby's loop is killed, and every fifth time its keeper instead, under load and with 500 idle
# connections. Each death of a loop may cost the one connection that it was working on, and no idle one.
class LobbyKillsSoak < LobbySoak
  CLIENTS = 32
  IDLE = 500

  def play
    serve("worker_processes 2") do |server|
      idle = idle_clients(server, IDLE)
      kills = Hash.new(0)
      clients = KeptAliveClients.new(server, clients: CLIENTS)
      clients.during do
        each_second do |number|
          title = (number % 5).zero? ? Server::KEEPER : Server::LOOP
          kills[title] += 1 if kill(server, title)
        end
      end
      judge(server, clients, kills, lost(idle))
    end
  end

  private

  # Waits for the successor: a second death before it is there would end the lobby.
  def kill(server, title)
    pid = server.parts_of_lobby[title] or return
    takeovers = server.board.lobby.takeovers
    server.signal(:KILL, to: pid)
    server.wait(PATIENCE, "successor of #{title}") do
      next server.board.lobby.takeovers > takeovers if title == Server::LOOP

      ![nil, pid].include?(server.parts_of_lobby[title])
    end
    true
  end

  def judge(server, clients, kills, lost_idle)
    failures = clients.failures
    loops = kills[Server::LOOP]
    puts "#{clients.answers} requests, #{loops} loops and #{kills[Server::KEEPER]} keepers killed: " \
         "#{failures.size} requests failed, #{lost_idle} of #{IDLE} idle connections lost; " \
         "p99 #{clients.p99_ms.round(1)} ms"
    problem("more requests failed than loops died: #{failures.tally}") if failures.size > loops
    problem("#{lost_idle} idle connections were lost") if lost_idle.positive?
    takeovers = server.board.lobby.takeovers
    problem("#{takeovers} takeovers for #{loops} deaths of the loop") unless takeovers == loops
  end
end

LobbyKillsSoak.main(600)
