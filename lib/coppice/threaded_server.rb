# frozen_string_literal: true

require "coppice/fork_safety/stray_copy"
require "coppice/http"
require "coppice/os/clock"
require "coppice/threaded_server/acceptor"
require "coppice/threaded_server/request_thread"

module Coppice
  # Serves one application in one process with a few threads: no fork, no signal handlers, no request timeout, so that
  # a breakpoint may wait forever. For development and tests: a page requests something from its own server while it
  # streams events, and nobody waits. Also for the observer, and for a service that has the WebSockets.
  #
  # One thread accepts clients, the others serve them, each one client at a time, on a thread of its own. Another thread
  # starts and stops the server, once. `exit` in the application ends the process, as it does on the main thread.
  class ThreadedServer
    THREADS = 3

    # How long a client that has its answer, and may still be sending, can pause before its connection is closed; and
    # how long `stop` waits for all of them.
    LINGER_MS = 2000

    # How long `stop` waits for the `ensure` clauses of threads that it has killed.
    CLEANUP_SECONDS = 1

    # Serves the clients that the lobby passes on this socket. worker: the value of env["coppice.worker"].
    #: (^(Hash[String, untyped]) -> untyped, Socket, settings: Config::Settings, log: Log, worker: untyped)
    #    -> ThreadedServer
    def self.of_handshakes(app, socket, settings:, log:, worker:)
      require "coppice/threaded_server/passed_clients"
      new(app, settings: settings, log: log, worker: worker, multiprocess: true,
               acceptor: ->(clients, lingering) { PassedClients.new(socket, clients, lingering, log) })
    end

    # listeners: sockets that listen; they stay the caller's, who closes them after `stop`. https: those of them whose
    # clients use TLS to the proxy. worker: the value of env["coppice.worker"]. row: of the board, on which requests are
    # counted. acceptor: makes what fills the queue of clients, in place of one that accepts them. multiprocess: whether
    # other processes serve the same application. The block is called after each request, on the thread that served it.
    #: (^(Hash[String, untyped]) -> untyped, settings: Config::Settings, log: Log, ?listeners: Array[Socket],
    #    ?https: Array[Socket], ?threads: Integer, ?worker: untyped, ?row: Board::Row?, ?multiprocess: bool,
    #    ?acceptor: ^(Thread::SizedQueue, Http::Lingering) -> (Acceptor | PassedClients))
    #    ?{ (Hash[String, untyped]) -> void } -> void
    def initialize(app, settings:, log:, listeners: [], https: [], threads: THREADS, worker: nil, row: nil,
                   multiprocess: false, acceptor: nil, &after_request)
      @clients = SizedQueue.new(Acceptor::CLIENTS)
      @lingering = Http::Lingering.new(LINGER_MS)
      acceptor ||= lambda { |clients, lingering|
        Acceptor.new(listeners, clients, lingering, log, https: https, silence: settings.client_header_timeout)
      }
      @acceptor = acceptor.call(@clients, @lingering)
      access_log = access_log_of(settings, row, log)
      @servers = Array.new(threads) do
        cycle = RequestCycle.new(worker, row, after_request)
        RequestThread.new(app, @clients, @lingering, cycle, settings: settings, log: log, row: row,
                          access_log: access_log, multiprocess: multiprocess)
      end
      @threads = []
    end

    # Returns itself; from now on clients are served. A forked process that starts a server, such as a process of a
    # parallel test run, is no stray copy: it is to serve, and not to end after its first request.
    #: () -> ThreadedServer
    def start
      ForkSafety::StrayCopy.adopt
      @threads = [thread("coppice accept", @acceptor)]
      @servers.each_with_index { |server, index| @threads << thread("coppice request #{index}", server) }
      self
    end

    # Waits until another thread has stopped the server.
    #: () -> void
    def join = @threads.each(&:join)

    # Accepts no more clients, serves those that have sent something, and returns whether all were served within so many
    # seconds. After them the threads are killed: their clients are disconnected, and `ensure` clauses run. Idempotent.
    #: (Numeric) -> bool
    def stop(seconds)
      limit = OS::Clock.now + seconds
      @acceptor.stop
      served = ended_before?(limit)
      disconnect unless served
      finish_lingering([seconds_until(limit), LINGER_MS / 1000.0].min)
      @access_log&.close
      served
    end

    private

    # Of all threads: nil without the option, and where no clients of the application are counted.
    def access_log_of(settings, row, log)
      return unless row && settings.access_log

      require "coppice/http/access_log"
      @access_log = Http::AccessLog.of(settings, row, worker: 0, generation: 0)
    rescue SystemCallError => error # the server can serve
      log.error("could not open the access log", error: error.message)
      nil
    end

    def ended_before?(limit) = @threads.all? { |thread| thread.join(seconds_until(limit)) }

    def disconnect
      @threads.each(&:kill)
      ended_before?(OS::Clock.now + CLEANUP_SECONDS)
      @acceptor.close
      while (client = @clients.pop)
        client.close
      end
    end

    def thread(name, task)
      Thread.new { task.call }.tap { |thread| thread.name = name }
    end

    def seconds_until(limit) = [limit - OS::Clock.now, 0].max

    # Not Lingering#finish, which releases the lock of Ruby: without epoll(7) its sets allow no second thread.
    def finish_lingering(seconds)
      limit = OS::Clock.now + seconds
      while @lingering.count.positive? && OS::Clock.now < limit
        @lingering.attend
        Kernel.sleep(Acceptor::LINGER_SECONDS)
      end
      @lingering.close
    end
  end
end
