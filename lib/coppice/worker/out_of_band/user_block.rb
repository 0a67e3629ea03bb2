# frozen_string_literal: true

require "coppice/worker/out_of_band/task"

module Coppice
  class Worker
    class OutOfBand
      # The block of `out_of_band`. It is due once after each time that the worker has served requests.
      class UserBlock < Task
        #: (Worker, Config::Settings) -> UserBlock?
        def self.of(worker, settings)
          block = settings.hook(:on_out_of_band)
          new(worker, block) if block
        end

        #: (Worker, Proc) -> void
        def initialize(worker, block)
          @worker = worker
          @block = block
          @served = 0
        end

        def name = :block

        #: () -> bool
        def due? = @worker.requests_count > @served

        #: () -> void
        def call
          @served = @worker.requests_count
          @block.call(@worker.inheritance.hook_context, @worker)
        end
      end
    end
  end
end
