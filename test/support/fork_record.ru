# frozen_string_literal: true

# An application that carries all that a fork copies badly: descriptors of every kind, a thread inside a lock, handlers
# at fork and at exit, random generators that have run. Each process writes one line about what it finds when its life
# begins, and one when it runs its at_exit handlers. See test/support/fork_record.rb.

require "json"
require "openssl"
require "securerandom"
require "socket"

module ForkLog
  # Prepended to Process, as libraries do that must know of forks.
  module ForkHook
    def _fork
      locked = LOCK.locked?
      super.tap { |pid| ForkLog.forked(locked) if pid.zero? }
    end
  end

  LOCK = Mutex.new
  KEY = OpenSSL::PKey::EC.generate("prime256v1")

  @forks = 0
  @locked = false

  class << self
    # In the cold mold, as the application is loaded.
    def start
      @held = [File.open(__FILE__), *IO.pipe, *UNIXSocket.pair, TCPServer.new("127.0.0.1", 0), UDPSocket.new]
      draw # a generator that was never used has nothing that could be copied
      at_exit { note("exits", pid: Process.pid) }
      reopen
      start_thread
    end

    # In each child: how many forks lie between it and the cold mold, and whether the lock was taken at the last ones.
    def forked(locked)
      @forks += 1
      @locked ||= locked
    end

    # In a hook of a mold or worker that was forked.
    def begin_life(role, generation)
      note("lives", pid: Process.pid, role: role, generation: generation, forks: @forks, drawn: draw,
                    lock: { at_fork: @locked, now: LOCK.locked? })
      @locked = false
      reopen
      start_thread unless role == :mold
    end

    private

    # What may be the same in two processes only if one has the other's state.
    def draw
      { rand: rand, random: Random.rand, bytes: Random.bytes(8).unpack1("H*"), secure: SecureRandom.hex,
        openssl: OpenSSL::Random.random_bytes(16).unpack1("H*"), signature: KEY.sign("SHA256", "text").unpack1("H*") }
    end

    # What the fork safety page asks for: a connection of its own for each process.
    def reopen
      @connection&.each(&:close)
      @connection = UNIXSocket.pair
    end

    # Has taken the lock when this returns, and keeps it forever.
    def start_thread
      taken = Thread::Queue.new
      thread = Thread.new { LOCK.synchronize { (taken << true) && Thread.stop } }
      thread.name = "lock holder"
      taken.pop
    end

    def note(name, fact) = File.write(name, "#{JSON.generate(fact)}\n", mode: "a")
  end

  Process.singleton_class.prepend(ForkHook)
end

ForkLog.start
run ->(_env) { [200, { "content-type" => "text/plain" }, [Process.pid.to_s]] }
