# frozen_string_literal: true

# Clients that send the head of a request byte by byte and never finish, all on one thread. When one is refused,
# another takes its place.
class Tricklers
  INTERVAL = 0.05
  REFUSAL = "HTTP/1.1 408 "

  attr_reader :refused #: Integer -- how many were sent away with 408
  attr_reader :surprises #: Array[String] -- what others were answered

  # Yields while so many of them are connected.
  #: [T] (Server, clients: Integer) { (Tricklers) -> T } -> T
  def self.around(server, clients:)
    crowd = new(server, clients)
    crowd.start
    yield crowd
  ensure
    crowd&.stop
  end

  #: (Server, Integer) -> void
  def initialize(server, clients)
    @server = server
    @sockets = Array.new(clients) { fresh }
    @refused = 0
    @surprises = []
  end

  def start #: () -> void
    @thread = Thread.new { turn until @stopping }
  end

  def stop #: () -> void
    @stopping = true
    @thread&.join
  ensure
    @sockets.each(&:close)
  end

  private

  def fresh = @server.connect.tap { |socket| socket.write("GET /") }

  def turn
    answered, = IO.select(@sockets, nil, nil, INTERVAL)
    @sockets.map! { |socket| answered&.include?(socket) ? replace(socket) : push(socket) }
  end

  def replace(socket)
    note(socket.readpartial(4096))
    fresh
  rescue EOFError, Errno::ECONNRESET => error
    @surprises << error.message
    fresh
  ensure
    socket.close
  end

  def note(answer) = answer.start_with?(REFUSAL) ? @refused += 1 : @surprises << answer

  def push(socket)
    socket.write_nonblock("a")
    socket
  rescue Errno::EPIPE # refused in this moment: its answer is read in the next turn
    socket
  end
end
