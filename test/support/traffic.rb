# frozen_string_literal: true

# Clients of a FakeServer: each asks again as soon as it has its answer. Plays what the lobby and the workers would note
# on the board, a tenth of a second after the other.
class Traffic
  STEP = 0.1

  attr_reader :server
  attr_writer :limit # responses per second that all workers together can give

  def initialize(server)
    @server = server
    @limit = Float::INFINITY
    @due = 0.0
  end

  # For so many seconds. seconds: what each request takes. computing: the share of it that wants a processor.
  def play(duration, clients:, seconds: 0.2, computing: 0.0)
    (duration / STEP).round.times do
      server.system.advance(STEP)
      server.system.computing = clients.zero? ? 0.0 : computing
      serve(clients, seconds)
      server.settle
    end
  end

  private

  def serve(clients, seconds)
    workers = server.roster.ready_workers
    busy = workers.first(clients)
    workers.each { |worker| worker.row.started_ms = busy.include?(worker) ? started_ms(worker) : 0 }
    server.board.lobby.waiting = clients - busy.size
    @due += [busy.size * STEP / seconds, @limit * STEP].min
    count(busy, @due.floor)
    @due -= @due.floor
  end

  # The request in flight goes on.
  def started_ms(worker) = worker.row.started_ms.positive? ? worker.row.started_ms : (server.system.now * 1000).to_i

  def count(busy, number)
    return if busy.empty?

    number.times do
      row = busy[(@next = @next.to_i + 1) % busy.size].row
      row.requests += 1
      row.count(:responses, place: 1)
    end
  end
end
