# frozen_string_literal: true

require_relative "bounded_wait"

# Clients that send the head of a request byte by byte and never finish, all on one thread. When one is refused,
# another takes its place.
class SlowClients
  INTERVAL = 0.05
  REFUSAL = "HTTP/1.1 408 "

  attr_reader :refused #: Integer -- how many were sent away with 408
  attr_reader :surprises #: Array[String] -- what others were answered, unless they were late with their first bytes

  # Yields while so many of them are connected.
  # limit: of the server, in seconds. It says nothing to a client from which nothing has come by then.
  #: [T] (Server, clients: Integer, limit: Numeric) { (SlowClients) -> T } -> T
  def self.around(server, clients:, limit:)
    crowd = new(server, clients, limit)
    crowd.start
    yield crowd
  ensure
    crowd&.stop
  end

  #: (Server, Integer, Numeric) -> void
  def initialize(server, clients, limit)
    @server = server
    @limit = limit
    @late = {}.compare_by_identity
    @sockets = Array.new(clients) { fresh }
    @refused = 0
    @surprises = []
  end

  def start #: () -> void
    @thread = Thread.new { turn until @stopping }
  end

  def stop #: () -> void
    @stopping = true
    BoundedWait.value_of(@thread) if @thread
  ensure
    @sockets.each(&:close)
  end

  private

  def fresh
    began = now
    socket = push(@server.connect, "GET /")
    @late[socket] = true if now - began >= @limit
    socket
  end

  def turn
    answered, = IO.select(@sockets, nil, nil, INTERVAL)
    @sockets.map! { |socket| answered&.include?(socket) ? replace(socket) : push(socket) }
  end

  def replace(socket)
    note(socket.readpartial(4096))
    fresh
  rescue EOFError, Errno::ECONNRESET => error
    @surprises << error.message unless @late.key?(socket)
    fresh
  ensure
    @late.delete(socket)
    socket.close
  end

  def note(answer) = answer.start_with?(REFUSAL) ? @refused += 1 : @surprises << answer

  def push(socket, bytes = "a")
    socket.write_nonblock(bytes)
    socket
  rescue Errno::EPIPE # refused by now: what it was answered is read in the next turn
    socket
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
