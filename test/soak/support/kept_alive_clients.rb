# frozen_string_literal: true

require_relative "../../support/bounded_wait"

# One client that keeps its connection as long as the server does. The application must answer with the query of the
# request, so that an answer for another request is noticed. A subclass may check an answer in another way.
class KeptAliveClient
  PATIENCE = 120 # seconds of waiting without a byte, after which a request has failed

  Unanswered = Class.new(StandardError)

  # server: anything that answers `connect`.
  #: (untyped, ?path: String) -> void
  def initialize(server, path: "/")
    @server = server
    @path = path
    @number = 0
  end

  # Connects, unless it has; the first request finds the connection then.
  #: () -> self
  def connect
    @socket ||= @server.connect
    self
  end

  # Sends a request and checks the answer. Raises Unanswered, with the reason.
  #: () -> void
  def ask
    connect
    query = "#{object_id}.#{@number += 1}"
    @socket.write("GET #{path}?#{query} HTTP/1.1\r\nHost: soak\r\n\r\n")
    head, body = read_answer
    close if head.match?(/^connection: close/i)
    raise Unanswered, head.lines.first.strip unless head.start_with?("HTTP/1.1 200 ")

    check(head, body, query)
  rescue SystemCallError, IOError, BoundedWait::TimedOut => error
    close
    raise Unanswered, error.class.name
  end

  #: () -> void
  def close
    @socket&.close
    @socket = nil
  end

  private

  attr_reader :path

  # Raises Unanswered.
  def check(_head, body, query)
    raise Unanswered, "the answer of another request" unless body == query
  end

  def read_answer
    bytes = +""
    until (at = bytes.index("\r\n\r\n"))
      bytes << read_some
    end
    head = bytes.slice!(0, at + 4)
    length = Integer(head[/^content-length: (\d+)/i, 1] || 0)
    bytes << read_some while bytes.bytesize < length
    [head, bytes]
  end

  def read_some
    BoundedWait.readable(@socket, PATIENCE).readpartial(65_536)
  end
end

# Such clients, each on a thread, which ask again and again. Keeps what failed, with its reason, and how long answers
# took.
class KeptAliveClients
  # keep: false for a new connection for each request. pause: seconds between an answer and the next request. The block
  # makes a client of another kind.
  #: (untyped, clients: Integer, ?path: String, ?keep: bool, ?pause: Numeric) ?{ () -> KeptAliveClient } -> void
  def initialize(server, clients:, path: "/", keep: true, pause: 0)
    @keep = keep
    @pause = pause
    @clients = Array.new(clients) { block_given? ? yield : KeptAliveClient.new(server, path: path) }
    @lock = Mutex.new
    @failures = []
    @seconds = []
    @turns = Hash.new(0) # requests that each client has an answer for, or that failed
  end

  # Stops them after the block. Answers what the block does.
  #: [T] () { () -> T } -> T
  def during
    threads = @clients.map { |client| Thread.new { ask(client) until @stopping } }
    threads.each { |thread| thread.abort_on_exception = true } # nobody waits for the answers of a thread that is gone
    yield
  ensure
    @stopping = true
    threads.each { |thread| BoundedWait.value_of(thread, 2 * KeptAliveClient::PATIENCE) }
    @clients.each(&:close)
  end

  #: () -> Integer
  def answers = @lock.synchronize { @seconds.size }

  # Waits until no request that is under way now is any more. Raises BoundedWait::TimedOut.
  #: () -> void
  def await_answers
    before = @lock.synchronize { @turns.dup }
    BoundedWait.wait(2 * KeptAliveClient::PATIENCE, "clients without an answer") do
      @lock.synchronize { @clients.all? { |client| @turns[client] > before.fetch(client, 0) } }
    end
  end

  # Reasons.
  #: () -> Array[String]
  def failures = @lock.synchronize { @failures.dup }

  # Milliseconds within which 99 % of the answers came.
  #: () -> Float
  def p99_ms
    sorted = @lock.synchronize { @seconds.sort }
    sorted.fetch((sorted.size * 0.99).floor, 0.0) * 1000
  end

  private

  def ask(client)
    began = now
    client.ask
    client.close unless @keep
    taken = now - began
    sleep(@pause) if @pause.positive?
    @lock.synchronize { note(client, @seconds, taken) }
  rescue KeptAliveClient::Unanswered => error
    @lock.synchronize { note(client, @failures, error.message) }
  end

  def note(client, list, result)
    list << result
    @turns[client] += 1
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
