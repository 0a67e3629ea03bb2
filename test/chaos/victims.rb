# frozen_string_literal: true

module Chaos
  # Whom the driver's faults hit, and what that excuses.
  class Victims
    # certain: the fault leaves it no way out; causes: how the server may report its end; excused: it may have lost the
    # one request that it served; told: how many signals that ask it got.
    Victim = Struct.new(:pid, :faults, :certain, :causes, :excused, :told, keyword_init: true)

    # Causes that name a limit of the server's own.
    LIMITS = %w[timeout request_timeout spawn_timeout stop_timeout shutdown].freeze
    # One that was on its way out when the fault came may have been faster.
    ALREADY_LEAVING = %w[asked left].freeze

    # What was done to a process: whether it must end, what the server may then call it beside the above, and whether a
    # request may be lost by it.
    OUTCOMES = {
      kill: [true, %w[signal out_of_memory], true],
      crash: [true, %w[signal], true],
      leave: [true, %w[failed], true],
      interrupt: [true, %w[signal], true], # one that ends already has Ruby's own handler back
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

    # spent: its request, if it had one, is known to be another.
    #: (Integer, Symbol, untyped, ?spent: bool) -> void
    def add(pid, outcome, fault, spent: false)
      certain, causes, loses = OUTCOMES.fetch(outcome)
      victim = @victims[pid] ||= Victim.new(pid: pid, faults: [], certain: false, causes: LIMITS + ALREADY_LEAVING, excused: false,
                                               told: 0)
      victim.faults |= [fault.to_s]
      victim.certain ||= certain
      victim.causes |= causes
      victim.excused ||= loses && !spent
      victim.told += 1 if %i[ask interrupt].include?(outcome)
    end

    #: (Integer) -> Victim?
    def [](pid) = @victims[pid]

    #: () -> Array[Victim]
    def certain = @victims.values.select(&:certain)

    #: () -> Array[Victim]
    def excused = @victims.values.select(&:excused)
  end
end
