# frozen_string_literal: true

require "coppice/board"
require "coppice/log/text"
require "coppice/memory/available_memory"
require "coppice/os/cgroup"
require "coppice/os/clock"
require "coppice/stats/events"
require "coppice/stats/history"
require "coppice/stats/listener_queues"
require "coppice/stats/lobby"
require "coppice/stats/processes"
require "coppice/stats/releases"
require "coppice/stats/totals"
require "coppice/version"

module Coppice
  # What a running server does and did, read from its board, /proc and the kernel's tables of sockets. It disturbs
  # nobody and takes about a millisecond, so it may be asked often. Works in each process of the server, and in any
  # other one that may read the board: Stats.new(Board.of_process(pid)).
  class Stats
    # measure_guests: whether to measure the memory of guests and services, which takes some milliseconds for each and
    # may block. By default it is what they have last measured themselves: a guest when its program began.
    #: (Board, ?measure_guests: bool) -> void
    def initialize(board, measure_guests: false)
      @board = board
      @measure_guests = measure_guests
      # Who asks may be in another cgroup than the server, such as that of a user's session.
      @memory = Memory::AvailableMemory.new(cgroup: OS::Cgroup.of_process(board.monitor_pid, "memory"))
      @queues = ListenerQueues.new(board)
      @history = History.new(board)
      @events = Events.new(board)
    end

    # A snapshot: plain values under symbols, in seconds and bytes. nil means unknown. docs/stats.md lists the
    # keys. Totals never go back. A histogram has one count more than it has bounds (`le`, in seconds): that of the
    # values above the last bound. utilization: the time in which workers had a request in flight, in the last 16
    # seconds, divided by that time and by the number of workers.
    #: () -> Hash[Symbol, untyped]
    def to_h
      totals = processes = nil
      @board.consistent do
        processes = Processes.new(@board, measure_guests: @measure_guests)
        totals = Totals.new(@board, processes)
      end
      listeners = @queues.to_a
      lobby = Lobby.of(@board, processes)
      children = processes.to_a
      { version: @board.version.empty? ? VERSION : text(@board.version), time: Time.now.to_f,
        server: server(processes, listeners, lobby), lobby: lobby&.to_h, memory: processes.memory.merge(machine_memory),
        **totals.to_h, services: processes.services(text(@board.services).split), processes: children,
        releases: Releases.new(@board, children).to_h, **@events.to_h }
    end

    # The last hour, one record for each two seconds, each with a value for each name; those with a sequence number
    # above `since` only. Counts are sums since the server's start; a histogram is an Array of the counts of its
    # buckets, whose upper bounds are `le`. seq: the last sequence number, for the next call.
    #: (?since: Integer) -> Hash[Symbol, untyped]
    def history(since: 0) = @history.to_h(since: since)

    private

    def server(processes, listeners, lobby)
      { pid: @board.monitor_pid, state: Board::SERVER_STATES.fetch(@board.state), uptime: uptime,
        started_at: started_at, generation: @board.generation, workers: @board.workers_count,
        workers_least: @board.workers_least, workers_most: @board.workers_most,
        workers_ready: processes.ready_workers, workers_busy: processes.busy_workers, utilization: @history.utilization,
        requests_waiting: waiting(listeners, lobby), monitor_beat_age: beat_age, ruby: text(@board.ruby),
        directory: text(@board.directory), listeners: listeners, unsafe_routes: unsafe_routes }
    end

    def unsafe_routes
      text(@board.unsafe_routes).split("\n").map { |line| %i[route by].zip(line.split("\t")).to_h }
    end

    def started_at = @board.started_ms.zero? ? nil : @board.started_ms / 1000.0

    def uptime = started_at&.then { |at| Time.now.to_f - at }

    def beat_age = @board.beat_ms.zero? ? nil : (OS::Clock.now_ms - @board.beat_ms) / 1000.0

    def waiting(listeners, lobby)
      depths = listeners.filter_map { |listener| listener[:queue] }
      depths.sum + (lobby ? lobby.waiting : 0) unless depths.empty?
    end

    def machine_memory
      { total: @memory.total_kib&.*(1024), available: @memory.left_kib&.*(1024) }
    end

    def text(bytes) = Log::Text.valid(bytes)
  end
end
