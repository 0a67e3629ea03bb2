# frozen_string_literal: true

require "io/wait"
require "socket"
require_relative "http_harness"
require_relative "bounded_wait"

# A client that decides itself what it sends, and when. Raises what its socket raises: a reset is an error.
class RawClient
  # Between two bytes of a client that trickles.
  INTERVAL = 0.05

  # Yields a client on this socket, and closes it; answers what the block does.
  #: [T] (BasicSocket) { (RawClient) -> T } -> T
  def self.on(socket)
    yield new(socket)
  ensure
    socket.close
  end

  #: (BasicSocket) -> void
  def initialize(socket)
    @socket = socket
  end

  #: (String) -> void
  def write(bytes) = @socket.write(bytes)

  # Sends the same piece again and again until the server has had enough.
  #: (String) -> void
  def trickle(piece)
    BoundedWait.wait(BoundedWait::SECONDS, "the server never refuses", interval: 0) do
      @socket.wait_readable(INTERVAL) || (@socket.write(piece) && nil)
    end
  rescue Errno::EPIPE
    nil # the answer is there
  end

  # Spreads the bytes over so many seconds, unless the server answers before their end.
  #: (String, Numeric) -> void
  def write_over(bytes, seconds)
    pause = seconds.to_f / bytes.size
    bytes.each_char do |byte|
      break if @socket.wait_readable(pause)

      @socket.write(byte)
    end
  end

  # All that comes until the server ends the connection, taken apart.
  #: () -> Coppice::HttpHarness::Answer
  def answer = Coppice::HttpHarness::Answer.new(each_piece.to_a.join)

  # The same, in the pieces in which it comes.
  #: () { (String) -> void } -> void
  def each_piece
    return enum_for(:each_piece) unless block_given?

    until (piece = receive) == :end
      yield piece
    end
  end

  # The body of the answer, in such pieces.
  #: () { (String) -> void } -> void
  def each_body_piece
    return enum_for(:each_body_piece) unless block_given?

    head = +""
    each_piece do |piece|
      next yield(piece) unless head

      _, blank_line, start = (head << piece).partition("\r\n\r\n")
      next if blank_line.empty?

      head = nil
      yield start
    end
  end

  private

  def receive
    BoundedWait.readable(@socket, BoundedWait::SECONDS, "the server says nothing").readpartial(256 * 1024)
  rescue EOFError
    :end
  end
end
