# frozen_string_literal: true

module Chaos
  # The processes that faults have hit, and what that explains.
  class Victims
    # certain: the process must exit; causes: causes that the server may log; excused: it may have lost the one request
    # that it served; signals: number of TERM, QUIT and INT that it got.
    Victim = Struct.new(:pid, :faults, :certain, :causes, :excused, :signals, keyword_init: true)

    # Causes that are limits of the server itself.
    LIMITS = %w[timeout request_timeout spawn_timeout stop_timeout unresponsive shutdown].freeze
    # A process that was already exiting may have been faster than the fault.
    ALREADY_LEAVING = %w[asked exited_by_itself].freeze

    # Outcome => [whether the process must exit, further causes that the server may log, whether it may lose a request].
    OUTCOMES = {
      kill: [true, %w[signal out_of_memory], true],
      crash: [true, %w[signal], true],
      leave: [true, %w[failed], true],
      become: [true, [], false], # the other program ends with status 0
      interrupt: [true, %w[signal], true], # an exiting process has Ruby's own handler again
      hang: [true, [], true],
      cling: [true, [], true],
      stop: [false, %w[signal], true],
      ask: [true, [], false],
      raise: [true, %w[failed], false],
      freeze: [false, [], false],
      kill_loop: [true, %w[signal], false],
      kill_keeper: [true, %w[signal], false],
      kill_lobby: [true, %w[signal], false],
      stop_loop: [true, %w[signal], false], # the monitor kills it
      freeze_loop: [false, %w[signal], false], # the same, on a busy machine
      ignore: [false, [], false],
      starve: [false, %w[failed], false]
    }.freeze

    # Outcome => how many requests may be lost with it, whichever worker serves them. A loop may lose the connection
    # that it is working on. A lobby may lose all of them; each of its two processes is counted with half.
    LOBBY_LOSSES = { kill_loop: 1, stop_loop: 1, freeze_loop: 1, kill_lobby: 2 }.freeze

    attr_reader :lobby_losses #: Integer -- requests that may be lost by the lobby

    def initialize
      @victims = {}
      @lobby_losses = 0
    end

    # spent: its request, if it had one, is accounted for already.
    #: (Integer, Symbol, untyped, ?spent: bool) -> void
    def add(pid, outcome, fault, spent: false)
      certain, causes, loses = OUTCOMES.fetch(outcome)
      victim = @victims[pid] ||= Victim.new(pid: pid, faults: [], certain: false, causes: LIMITS + ALREADY_LEAVING,
                                            excused: false, signals: 0)
      victim.faults |= [fault.to_s]
      @lobby_losses += LOBBY_LOSSES.fetch(outcome, 0)
      victim.certain ||= certain
      victim.causes |= causes
      victim.excused ||= loses && !spent
      victim.signals += 1 if %i[ask interrupt].include?(outcome)
    end

    #: (Integer) -> Victim?
    def [](pid) = @victims[pid]

    #: () -> Array[Victim]
    def certain = @victims.values.select(&:certain)

    #: () -> Array[Victim]
    def excused = @victims.values.select(&:excused)
  end
end
