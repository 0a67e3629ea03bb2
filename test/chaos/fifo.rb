# frozen_string_literal: true

module Chaos
  # A named pipe that the server writes to and a thread of the driver's reads, unless told to let it run full.
  class Fifo
    SET_PIPE_SIZE = 1031 # F_SETPIPE_SZ of linux/fcntl.h
    SMALLEST = 4096
    USUAL = 65_536

    #: (String) -> void
    def initialize(path)
      File.mkfifo(path)
      @io = File.open(path, File::RDWR | File::NONBLOCK) # open for writing as well: it never ends, and nobody gets EPIPE
      @text = String.new
      @lock = Mutex.new
      @thread = Thread.new { @lock.synchronize { take } while @io.wait_readable }
    end

    # All that was written until now.
    #: () -> String
    def text
      @lock.synchronize do
        take
        @text.dup.force_encoding(Encoding::UTF_8).scrub
      end
    end

    # While the block runs, nobody reads, and there is hardly any room.
    #: () { () -> void } -> void
    def unread
      @lock.synchronize do
        resize(SMALLEST)
        yield
      ensure
        resize(USUAL)
      end
    end

    #: () -> void
    def close
      @thread.kill.join
      @io.close
    end

    private

    def take
      while (bytes = @io.read_nonblock(USUAL, exception: false)).is_a?(String)
        @text << bytes
      end
    end

    def resize(bytes)
      @io.fcntl(SET_PIPE_SIZE, bytes)
    rescue Errno::EBUSY, Errno::EPERM
      nil # more lies in it already than would fit, or all pipes of this user have too much room: it stays as it is
    end
  end
end
