# frozen_string_literal: true

require_relative "../../bench/lib/load"
require_relative "../../bench/lib/process_tree"
require_relative "../../bench/lib/setup"
require_relative "../support/process_memory"
require_relative "support/lobby_soak"

# Very many connections, short ones and kept ones, and requests on them. After each third of the time the server has no
# client: then its processes must have as many descriptors as at the start, and the lobby no more memory. A connection
# whose client leaves in the middle of a request is among them.
class ConnectionsSoak < LobbySoak
  CLIENTS = 64
  THIRDS = 3
  LEAVERS = 500 # connections of each third that end in the middle of a head, a body or an answer
  # Requests before the first third. Within the first 10,000 the heap of each worker grows by up to 3 MiB, and it may
  # take long until there were so many.
  WARM_UP = 40_000
  WARM_UP_SECONDS = 300
  # KiB of the lobby's stack, and of its program's variables, that are touched only while it serves. All its records are
  # touched at the start, and it gives blocks back that it does not use. The slots of requests are not counted. They are
  # never given back, so that as many have memory as were ever in use at once; and whether such a page is private to the
  # lobby or shared depends on whether a worker has read it yet.
  LOBBY_GROWTH = 64
  # KiB by which others may grow between the first and the last third: the C library and Ruby keep freed memory. The
  # board is not counted: its records of the last hour fill up. In its first four minutes the monitor fills the heap
  # that it starts with, by 900 KiB and more, and all of that may fall between the two looks.
  GROWTH = { monitor: 2048, workers: 4096 }.freeze
  LEAVINGS = ["GET / HT", "POST / HTTP/1.1\r\nHost: soak\r\nContent-Length: 9\r\n\r\n1234",
              "GET /slow HTTP/1.1\r\nHost: soak\r\n\r\n"].freeze

  def play
    Bench::Setup.prepare([])
    serve("worker_processes 2") do |server|
      start = measure(server)
      request(server, requests: WARM_UP, seconds: WARM_UP_SECONDS, keep_alive: true)
      first, *, last = Array.new(THIRDS) { |number| third(server, number + 1, start) }
      compare_memory(first, last)
      lobby = server.board.lobby
      puts "#{lobby.accepted} connections, #{lobby.requests} requests"
    end
  end

  private

  def third(server, number, start)
    [{ keep_alive: true }, {}].each { |manner| request(server, seconds: @seconds / THIRDS / 2.0, **manner) }
    leave(server)
    await_rest(server, start)
    measure(server).tap { |figures| puts "third #{number}: #{in_words(figures)}" }
  end

  # All connections are closed, and nothing is kept of them.
  def await_rest(server, start)
    kept = nil
    server.wait(PATIENCE) { (kept = kept_of(server, start)).empty? }
  rescue RuntimeError => error
    problem("#{error.message}: still there: #{kept.join(', ')}")
  end

  def kept_of(server, start)
    connections = server.board.lobby.connections
    return ["#{connections} connections"] if connections.positive?

    figures = measure(server)
    more = figures.keys.select { |name| figures[name][0] > start[name][0] }
    more |= [:lobby] if figures[:lobby][1] > start[:lobby][1] + LOBBY_GROWTH
    more.map { |name| in_words(figures.slice(name)) }
  end

  def request(server, **manner)
    result = Bench::Load.run(server.port, clients: CLIENTS, timeout: PATIENCE, **manner)
    problem("errors: #{result.errors}") if result.error_count.positive?
  end

  # Half of them end with a reset.
  def leave(server)
    clients = Array.new(LEAVERS) { |number| server.connect.tap { |client| client.write(LEAVINGS[number % 3]) } }
    clients.each_with_index do |client, number|
      client.setsockopt(Socket::Option.linger(true, 0)) if number.odd?
      client.close
    end
  end

  # name => [descriptors, KiB]
  def measure(server)
    pids = { lobby: server.parts_of_lobby.values, monitor: [server.monitor_pid],
             workers: server.ready_workers.map(&:pid) }
    pids.transform_values do |each|
      [each.sum { |pid| Dir.children("/proc/#{pid}/fd").size }, each.sum { |pid| ProcessMemory.unnamed_kib(pid) }]
    end
  end

  def in_words(figures) = figures.map { |name, (files, kib)| "#{name} #{files} descriptors, #{kib} KiB" }.join("; ")

  def compare_memory(first, last)
    GROWTH.each do |name, limit|
      before, after = [first, last].map { |figures| figures[name][1] }
      problem("#{name}: #{before} KiB, then #{after}") if after > before + limit
    end
  end
end

ConnectionsSoak.main(600)
