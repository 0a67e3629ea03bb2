# frozen_string_literal: true

# Sends over a Unix socket so that the server reads each byte by itself: the next one leaves when the last was taken.
module ByteByByte
  # The ioctl of <linux/sockios.h> that says how much of what was written the other end has not read yet.
  SIOCOUTQ = 0x5411

  # Something long is sent in so many pieces, for time's sake.
  MOST_PIECES = 1000

  # Seconds between two looks, and until the server has failed to read.
  INTERVAL = 0.0001
  PATIENCE = 60

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
    deadline = now + PATIENCE
    until unread(socket).zero?
      raise "the server read nothing for #{PATIENCE} s" if now > deadline

      IO.select(nil, nil, nil, INTERVAL)
    end
  end
  private_class_method :wait_until_taken

  def self.unread(socket)
    count = [0].pack("i")
    socket.ioctl(SIOCOUTQ, count)
    count.unpack1("i")
  end
  private_class_method :unread

  def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  private_class_method :now
end
