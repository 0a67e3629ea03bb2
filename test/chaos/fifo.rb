# frozen_string_literal: true

module Chaos
  # A named pipe that the server writes to. A thread of the driver reads it, except in `unread`.
  class Fifo
    SET_PIPE_SIZE = 1031 # F_SETPIPE_SZ of linux/fcntl.h
    SMALLEST = 4096
    # Bytes. The reports of several crashes fit into it: a server that exits waits two seconds for a reader of its log.
    USUAL = 1_048_576
    PIECE = 65_536 # bytes of one read

    #: (String) -> void
    def initialize(path)
      File.mkfifo(path)
      # Open for writing as well, so that the pipe never reaches its end and no writer gets EPIPE.
      @io = File.open(path, File::RDWR | File::NONBLOCK)
      resize(USUAL)
      @text = String.new
      @lock = Mutex.new
      @thread = Thread.new { @lock.synchronize { take } while @io.wait_readable }
    end

    # Everything that was written until now.
    #: () -> String
    def text
      @lock.synchronize do
        take
        @text.dup.force_encoding(Encoding::UTF_8).scrub
      end
    end

    # While the block runs, the driver does not read, and the pipe has almost no room.
    #: () { () -> void } -> void
    def unread
      @lock.synchronize do
        take # what it holds would keep it large
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
      while (bytes = @io.read_nonblock(PIECE, exception: false)).is_a?(String)
        @text << bytes
      end
    end

    def resize(bytes)
      @io.fcntl(SET_PIPE_SIZE, bytes)
    rescue Errno::EBUSY, Errno::EPERM
      nil # the pipe holds more than that already, or the user's pipes are too large in total: the size stays
    end
  end
end
