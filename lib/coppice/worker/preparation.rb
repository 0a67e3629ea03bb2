# frozen_string_literal: true

require "coppice/gc_profile/allocation_meter"
require "coppice/os/jit"
require "coppice/worker/rehearsal"

module Coppice
  class Worker
    # Prepares a worker for its first client. A worker that is rehearsed serves all warm-up requests. Each other worker
    # makes one request to itself, if it was told to: the first request of a fork copies the memory that it writes to,
    # and opens what could not be inherited.
    class Preparation
      # The part of spawn_timeout that the request may take which each worker makes to itself: it is slower in a fresh
      # fork.
      QUICK = 0.1

      # The block makes an exchange that marks its requests as part of a rehearsal.
      #: (Worker, connection: Http::Connection, cycle: RequestCycle) { () -> Http::Exchange } -> void
      def initialize(worker, connection:, cycle:, &exchange)
        @worker = worker
        @life = worker.life
        @membership = worker.membership
        @settings = @life.settings
        @connection = connection
        @cycle = cycle
        @exchange = exchange
      end

      #: () -> void
      def call
        turn_on_compiler
        return rehearse if @membership.rehearsing?

        make_first_request if @membership.first_request? && @life.inheritance.first_path
        fitted = @settings.gc_profile == :fitted
        @cycle.meter = GCProfile::AllocationMeter.new(skip: GCProfile::AllocationMeter::SETTLED) if fitted
      end

      private

      # With `jit :lead` one worker compiles, and the others inherit the code once it is promoted.
      def turn_on_compiler
        lead = @membership.rehearsing? || @membership.nr.zero?
        OS::JIT.turn_on if @settings.jit == :lead && lead
        @membership.row.compiles = OS::JIT.on? ? 1 : 0
      end

      def rehearse
        rehearsal = build_rehearsal
        meter = nil
        rehearsal.call(@settings.warm_up_requests, @settings.hook(:on_warm_up)) do
          @cycle.meter = meter = GCProfile::AllocationMeter.new
        end
        note_allocations(meter)
        first_path = rehearsal.quick_path(@settings.spawn_timeout * QUICK)
        @life.inheritance = @life.inheritance.with_first_path(first_path)
      end

      # A rehearsal that was too short for the meter has measured something all the same.
      def note_allocations(meter)
        row = @membership.row
        row.allocations = meter.measurement.to_s if meter && row.allocations.empty?
        @cycle.meter = nil
      end

      def make_first_request
        build_rehearsal.once(@life.inheritance.first_path)
        @cycle.start_over
      end

      def build_rehearsal
        Rehearsal.new(exchange: @exchange.call, connection: @connection, log: @worker.log,
                      interrupted: method(:interrupted?))
      end

      # Before the worker is ready, a message from the monitor can only tell it to exit; or the monitor is gone.
      def interrupted? = @worker.stopping? || @life.message?
    end
  end
end
