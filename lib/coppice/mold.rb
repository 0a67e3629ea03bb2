# frozen_string_literal: true

require "forwardable"
require "coppice/forking"
require "coppice/memory/memory_sampler"
require "coppice/mold/heap_preparation"

module Coppice
  # The template: a process that holds the loaded, warm application, serves nobody,
  # and forks workers when the monitor says so. Runs in the mold process. Owns its
  # channel and a waiter; holds no listener. The monitor ends it, once a newer mold
  # is committed, or it ends itself when the monitor is gone.
  class Mold
    extend Forwardable

    attr_reader :inheritance #: Inheritance
    attr_reader :membership  #: Membership

    #: (inheritance: Inheritance, membership: Membership) -> void
    def initialize(inheritance:, membership:)
      @inheritance = inheritance
      @membership = membership
      @stopping = false
    end

    def_delegators :membership, :nr, :generation, :pid # what hooks ask of it

    #: () -> Log
    def log = @log ||= inheritance.log_of(membership)

    # The whole life.
    #: () -> void
    def run
      membership.join(inheritance)
      sampler = Memory::MemorySampler.new(membership.row, log, needed: inheritance.settings.memory_matters?)
      membership.report_stop_signals
      inheritance.settings.hook(:after_mold_fork)&.call(inheritance.server, self)
      HeapPreparation.new(inheritance.settings.warmup).call
      @waiter = Waiter.new([], membership.channel.fileno)
      sampler.set_baseline
      membership.ready
      membership.status = "ready"
      obey until @stopping
      log.debug("leaves")
    end

    # In a process forked from this one: lets go of what is the mold's alone.
    #: () -> void
    def abandon
      @waiter.close
      membership.leave
    end

    private

    def obey
      @waiter.wait(nil)
      case packet = membership.channel.receive
      when :empty then nil
      when :closed then @stopping = true # the monitor is gone
      else carry_out(packet)
      end
    end

    def carry_out(packet)
      case packet.message
      when Control::Messages::Spawn then forking.call(packet)
      when Control::Messages::Stop then @stopping = true
      else raise Bug, "a mold got #{packet.message.inspect}"
      end
    end

    def forking = @forking ||= Forking.new(self)
  end
end
