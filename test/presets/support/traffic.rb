# frozen_string_literal: true

require "support/bounded_wait"

module Coppice
  # Clients that ask a server for tokens of their own, and what they got that was wrong: another status, another
  # client's token, or a connection that two processes have used.
  class Traffic
    CLIENTS = 3
    PAUSE = 0.005 # seconds between an answer and the next request, so that the server has the processor
    STOP = 240 # seconds of waiting for the last answers

    def initialize(server)
      @server = server
      @lock = Mutex.new
      @failures = []
      @owners = {}
      @tokens = {}
    end

    # While the block runs.
    def run
      @threads = Array.new(CLIENTS) { |nr| Thread.new { ask(nr) } }
      yield
    ensure
      stop
    end

    # From now on nothing is asked.
    def stop
      @stopping = true
      @threads.each { |thread| BoundedWait.value_of(thread, STOP) }
    end

    def failures = @lock.synchronize { @failures.dup }
    def failed? = !failures.empty?

    # The tokens that were answered, with the pid of the process that did.
    def tokens = @lock.synchronize { @tokens.dup }

    # The pid of the process that has used this connection, as text, by its name.
    def owners = @lock.synchronize { @owners.dup }

    private

    def ask(nr)
      count = 0
      until @stopping || failed?
        token = "t#{nr}x#{count += 1}"
        check(token, @server.get("/?#{token}"))
        IO.select(nil, nil, nil, PAUSE)
      end
    rescue SystemCallError, IOError, BoundedWait::TimedOut => error
      failed("#{error.class}: #{error.message}")
    end

    def check(token, answer)
      return failed("#{token}: #{answer.status} #{answer.body[0, 200]}") unless answer.status == 200

      echo, connection, pid = answer.body.split
      return failed("#{token}: got #{answer.body[0, 200].inspect}") unless echo == token && pid

      @lock.synchronize { @tokens[token] = Integer(pid) }
      return if connection == "-"

      owner = @lock.synchronize { @owners[connection] ||= pid }
      failed("#{token}: connection #{connection} of #{owner} was used by #{pid}") unless owner == pid
    end

    def failed(reason) = @lock.synchronize { @failures << reason }
  end
end
