# frozen_string_literal: true

require "coppice"
require "socket"
require "#{Gem.loaded_specs.fetch("coppice").full_gem_path}/test/support/c_library"

# Small libraries, each of which a refork breaks in another way. They work in the process that made them.
module Libraries
  # Its thread does not exist in a copy.
  class DeadThread
    def initialize
      @questions = Queue.new
      @answers = Queue.new
      Thread.new { loop { @answers << (@questions.pop + 1) } }
    end

    def works?
      @questions << 1
      @answers.pop == 2
    end
  end

  # The copy remembers that it is connected, but a hook has closed the connection.
  class CopiedFlag
    def initialize
      @connected = false
      Coppice.at_fork(after_in_mold: -> { @socket&.close })
    end

    def works?
      connect unless @connected
      @socket.puts "ping"
      @socket.gets == "ping\n"
    end

    private

    def connect
      @socket, server = UNIXSocket.pair
      Thread.new { loop { server.write(server.gets) } }
      @connected = true
    end
  end

  # Both processes use one connection: the first one from a thread that goes on, when it gets a tick.
  class SharedConnection
    def initialize
      @requests = 0
      @ticks, @tick = IO.pipe
      @tocks, @tock = IO.pipe
      @socket = connect
      Thread.new { loop { heartbeat } }
    end

    def works?
      @tick.write(".")
      @tocks.read(1)
      request
    end

    private

    # The server counts the requests of each connection, as a client that sends sequence numbers expects.
    def connect
      listener = TCPServer.new("127.0.0.1", 0)
      Thread.new { listener.accept.then { |client| (1..).each { |number| client.gets && client.puts(number) } } }
      TCPSocket.new("127.0.0.1", listener.local_address.ip_port)
    end

    def heartbeat
      @ticks.read(1)
      request
      @tock.write(".")
    end

    def request
      @requests += 1
      @socket.puts("request")
      @socket.gets.to_i == @requests
    end
  end

  # Is said to be shared on purpose, as the connection to a daemon to which every process only writes.
  class KeptConnection
    def initialize
      @listener = TCPServer.new("127.0.0.1", 0)
      @socket = TCPSocket.new("127.0.0.1", @listener.local_address.ip_port)
      Coppice::Info.keep_io(@socket)
    end

    def works? = @socket.write("x") == 1
  end

  # A thread holds a lock that Ruby does not know, so nobody releases it in a copy.
  class NativeLock
    def initialize
      @memory = CLibrary.call("calloc", 1, 256)
      @requests = Queue.new
      @taken = Queue.new
      Thread.new { loop { hold } }
      @taken.pop
    end

    def works?
      @requests << :release
      lock
      unlock
      @requests << :take
      @taken.pop
      true
    end

    private

    def hold
      lock
      @taken << true
      @requests.pop
      unlock
      @requests.pop
    end

    def lock = CLibrary.call("pthread_mutex_lock", @memory)
    def unlock = CLibrary.call("pthread_mutex_unlock", @memory)
  end

  @made = {}

  # Made when it is first used.
  def self.fetch(name) = @made[name] ||= const_get(name).new
end
