# frozen_string_literal: true

require "coppice/config/options"
require "coppice/memory/available_memory"
require "coppice/mold_environment"
require "coppice/monitor/workers/worker_count"
require "coppice/os/processors"

module Coppice
  class CLI
    # The effective value of a setting whose value leaves it open: :auto, or nil.
    class EffectiveValues
      #: (Config::Settings, Array[MoldEnvironment::Variable]) -> void
      def initialize(settings, variables)
        @settings = settings
        @variables = variables
      end

      # nil for a value that is effective as it is.
      #: (Symbol) -> String?
      def of(name)
        case @settings.public_send(name)
        when :auto then automatic(name)
        when nil then Config::OPTIONS[name].default_text.to_s[/\A(?:nil: )?(.+)/, 1] || "none"
        end
      end

      private

      def automatic(name)
        case name
        when :worker_processes then workers
        when :allocator then allocator
        when :refork_after then "when a refork pays"
        else "true"
        end
      end

      # Without the limit by memory: it depends on the size of the mold, which only a running server knows.
      def workers
        processors = OS::Processors.new.count
        total_kib = Memory::AvailableMemory.new.total_kib
        answer = Monitor::WorkerCount.new(processors: processors, memory_total_kib: total_kib).answer
        "#{answer.workers} to #{answer.most} for #{answer.reason_fields.fetch(:processors)} processors, " \
          "fewer if memory is short"
      end

      def allocator
        preloaded = @variables.find { |variable| variable.name == Allocator::PRELOAD }
        preloaded ? preloaded.value : "the system's"
      end
    end
  end
end
