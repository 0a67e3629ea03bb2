# frozen_string_literal: true

require_relative "bounded_wait"

# Sends over a Unix socket so that the server reads each byte by itself: the next one leaves when the last was taken.
module ByteByByte
  # The ioctl of <linux/sockios.h> that says how much of what was written the other end has not read yet.
  SIOCOUTQ = 0x5411

  # Something long is sent in so many pieces, for time's sake.
  MOST_PIECES = 1000

  # Seconds between two looks.
  INTERVAL = 0.0001

  # Yields before each piece, and stops when the block answers true.
  #: (UNIXSocket, String) { () -> boolish } -> void
  def self.write(socket, bytes)
    bytes.scan(/.{1,#{(bytes.bytesize / MOST_PIECES) + 1}}/mn) do |piece|
      break if yield

      socket.write(piece)
      wait_until_taken(socket)
    end
  end

  def self.wait_until_taken(socket)
    BoundedWait.wait(BoundedWait::SECONDS, "the server reads nothing", interval: INTERVAL) { unread(socket).zero? }
  end
  private_class_method :wait_until_taken

  def self.unread(socket)
    count = [0].pack("i")
    socket.ioctl(SIOCOUTQ, count)
    count.unpack1("i")
  end
  private_class_method :unread
end
