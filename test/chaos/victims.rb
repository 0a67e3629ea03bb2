# frozen_string_literal: true

module Chaos
  # The processes that faults have hit, and what that explains.
  class Victims
    # certain: the process must exit; causes: causes that the server may log; excused: it may have lost the one request
    # that it served; signals: number of TERM, QUIT and INT that it got.
    Victim = Struct.new(:pid, :faults, :certain, :causes, :excused, :signals, keyword_init: true)

    # Causes that are limits of the server itself.
    LIMITS = %w[timeout request_timeout spawn_timeout stop_timeout shutdown].freeze
    # A process that was already exiting may have been faster than the fault.
    ALREADY_LEAVING = %w[asked left].freeze

    # Outcome => [whether the process must exit, further causes that the server may log, whether it may lose a request].
    OUTCOMES = {
      kill: [true, %w[signal out_of_memory], true],
      crash: [true, %w[signal], true],
      leave: [true, %w[failed], true],
      interrupt: [true, %w[signal], true], # an exiting process has Ruby's own handler again
      hang: [true, [], true],
      cling: [true, [], true],
      stop: [false, %w[signal], true],
      ask: [true, [], false],
      raise: [true, %w[failed], false],
      freeze: [false, [], false],
      starve: [false, %w[failed], false]
    }.freeze

    def initialize
      @victims = {}
    end

    # spent: its request, if it had one, is accounted for already.
    #: (Integer, Symbol, untyped, ?spent: bool) -> void
    def add(pid, outcome, fault, spent: false)
      certain, causes, loses = OUTCOMES.fetch(outcome)
      victim = @victims[pid] ||= Victim.new(pid: pid, faults: [], certain: false, causes: LIMITS + ALREADY_LEAVING,
                                            excused: false, signals: 0)
      victim.faults |= [fault.to_s]
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
