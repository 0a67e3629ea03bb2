# frozen_string_literal: true

require "forwardable"
require "coppice/child/forking"
require "coppice/child/heap_preparation"
require "coppice/child/life"
require "coppice/memory/memory_sampler"

module Coppice
  # The template: a process that holds the loaded, warm application, serves no clients, and forks workers when the
  # monitor tells it to. It has no listeners. The monitor ends it once a newer mold is committed; it exits by itself
  # when the monitor is gone.
  class Mold
    extend Forwardable

    #: (inheritance: Child::Inheritance, membership: Child::Membership) -> void
    def initialize(inheritance:, membership:)
      orders = {
        Control::Messages::Spawn => ->(packet) { forking.call(packet) },
        Control::Messages::Measure => ->(_packet) { @sampler.sample }
      }
      @life = Child::Life.new(inheritance: inheritance, membership: membership, orders: orders)
    end

    def_delegators :@life, :inheritance, :membership, :log
    # What hooks ask of it.
    def_delegators :membership, :nr, :generation, :pid, :worker?, :mold?, :service?, :to_log

    # The whole life of the process.
    #: () -> void
    def run
      @life.start
      @sampler = Memory::MemorySampler.new(membership.row, log, needed: inheritance.settings.memory_matters?,
                                                                first: membership.cold?)
      @life.call_hook(:fork, self)
      note_websockets(inheritance.preset_calls)
      prepare_heap unless membership.temporary?
      @sampler.set_baseline
      @life.ready
      @life.obey_until_stopped
      log.debug("mold exits")
      @life.exit_now
    end

    # Called in a process forked from this one: closes the copies of what belongs to this mold.
    #: () -> void
    def close_in_copy = @life.close

    private

    def note_websockets(calls)
      membership.row.handshakes_path = calls.handshakes_path(log).to_s
      calls.warn_of_local_adapter(inheritance.settings, log) if membership.cold?
    end

    def prepare_heap
      return unless inheritance.settings.warmup

      Child::HeapPreparation.compact if membership.cold? || Child::HeapPreparation.fragmented?
    end

    def forking = @forking ||= Child::Forking.new(self)
  end
end
