# frozen_string_literal: true

require "coppice/gc_profile/allocation_meter"
require "coppice/os/jit"
require "coppice/worker/rehearsal"

module Coppice
  class Worker
    # Prepares a worker for its first client. A rehearsed worker serves all warm-up requests, and the first worker of a
    # new release serves each of them once. Any other worker does what makes the first request of a fork slow, if its
    # Spawn message said so: it opens connections that could not be inherited, and after warm-up requests it makes one
    # of them to itself, which also copies the memory that a request writes to. Both may hang: then the monitor replaces
    # this worker by one that does neither.
    class Preparation
      # A path is quick enough for the request to itself if the rehearsal served it within this part of spawn_timeout. A
      # fresh fork is slower than the rehearsal.
      QUICK_SHARE = 0.1

      # The block makes an exchange for the requests of a rehearsal.
      #: (Worker, RequestCycle) { () -> Http::Exchange } -> void
      def initialize(worker, cycle, &exchange)
        @worker = worker
        @life = worker.life
        @membership = worker.membership
        @settings = @life.settings
        @cycle = cycle
        @exchange = exchange
      end

      #: () -> void
      def call
        turn_on_compiler
        return rehearse if @membership.rehearsing?

        warm_up if @membership.first_request?
        serve_warm_up_requests if @membership.warmed_trial?
        measure_requests if @settings.gc_profile == :fitted && lead?
      end

      private

      # With `jit :lead` only the lead worker compiles. The others inherit its code once it is promoted.
      def turn_on_compiler
        OS::JIT.turn_on if @settings.jit == :lead && lead?
        @membership.row.compiles = OS::JIT.on? ? 1 : 0
      end

      def lead? = @membership.rehearsing? || @membership.nr.zero?

      # Only in the lead worker, because the collections that this takes write to shared pages.
      def measure_requests
        @cycle.meter = GCProfile::AllocationMeter.new(skip: GCProfile::SETTLED_REQUESTS)
      end

      def rehearse
        rehearsal = new_rehearsal
        meter = nil
        rehearsal.call(@settings.warm_up_paths, @settings.hook(:on_warm_up)) do
          @cycle.meter = meter = GCProfile::AllocationMeter.new
        end
        note_allocations(meter)
        first_path = rehearsal.quick_path(@settings.spawn_timeout * QUICK_SHARE)
        @life.inheritance = @life.inheritance.with_first_path(first_path)
      end

      # If the rehearsal was too short for a complete measurement, the incomplete one is used.
      def note_allocations(meter)
        row = @membership.row
        row.allocations = meter.measurement.to_s if meter && row.allocations.empty?
        @cycle.meter = nil
      end

      def warm_up
        inheritance = @life.inheritance
        inheritance.preset_calls.before_ready(@worker.log)
        new_rehearsal(errors_only: true).once([inheritance.first_path]) if inheritance.first_path
      end

      def serve_warm_up_requests
        new_rehearsal(errors_only: true).once(@settings.warm_up_paths, @settings.hook(:on_warm_up))
      end

      def new_rehearsal(errors_only: false)
        Rehearsal.new(exchange: @exchange.call, log: @worker.log, interrupted: method(:interrupted?),
                      errors_only: errors_only)
      end

      # Most messages before the worker is ready tell it to exit, or show that the monitor is gone. Another one, such as
      # that a log file was renamed, must not end the warm-up.
      def interrupted?
        @life.obey while @life.message? && !@worker.stopping?
        @worker.stopping?
      end
    end
  end
end
