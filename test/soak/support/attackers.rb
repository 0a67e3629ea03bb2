# frozen_string_literal: true

require_relative "../../support/bounded_wait"

# Clients that mean harm, in a process of their own, so that they take no time of the clients that are measured: all
# connect, and then each does the same thing again and again.
class Attackers
  INTERVAL = 1.0 # seconds between two bytes of one client

  # name => [number of clients, what each sends first, what it does then]
  KINDS = {
    heads: [5000, "GET / HTTP/1.1\r\nX: ", :trickle],
    bodies: [1000, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n", :trickle],
    long_readers: [40, "GET /20 HTTP/1.1\r\nHost: x\r\n\r\n", :read], # with all of them below buffer_disk_limit
    many_readers: [900, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n", :read],
    resets: [200, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", :reset],
    pipelines: [4, "GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 1000, :repeat]
  }.freeze

  # While the block runs, they attack; yields once all have connected.
  #: [T] (Symbol, Integer) { () -> T } -> T
  def self.during(kind, port)
    ready, done = IO.pipe
    pid = Process.fork do
      ready.close
      new(kind, port, done).run
    end
    done.close
    BoundedWait.readable(ready).read(1)
    yield
  ensure
    Process.kill(:KILL, pid)
    BoundedWait.status_of(pid)
    ready.close
  end

  #: (Symbol, Integer, IO) -> void
  def initialize(kind, port, done)
    count, @first, @manner = KINDS.fetch(kind)
    @port = port
    @done = done
    @sockets = Array.new(count) { connect }
  end

  # Until it is killed.
  #: () -> void
  def run
    @done.write("1")
    loop { @sockets.map! { |socket| turn(socket).tap { pause } } }
  end

  private

  # Spreads the clients over the interval.
  def pause = sleep(INTERVAL / @sockets.size)

  def connect
    socket = Socket.new(:INET, :STREAM)
    socket.setsockopt(:SOCKET, :RCVBUF, 4096) if @manner == :read
    socket.connect(Addrinfo.tcp("127.0.0.1", @port))
    socket.write_nonblock(@first, exception: false)
    socket
  end

  # An attacker that was sent away comes again.
  def turn(socket)
    case @manner
    when :trickle then socket.write("a")
    when :read then socket.read_nonblock(1024, exception: false) || raise(EOFError)
    when :repeat then repeat(socket)
    else socket.setsockopt(Socket::Option.linger(true, 0)) && raise(EOFError)
    end
    socket
  rescue SystemCallError, IOError
    socket.close
    connect
  end

  def repeat(socket)
    nil while socket.read_nonblock(65_536, exception: false).is_a?(String)
    socket.write_nonblock(@first, exception: false)
  end
end
