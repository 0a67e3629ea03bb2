# frozen_string_literal: true

require "coppice/config/options"
require "coppice/mold_environment"
require "coppice/monitor/worker_count"
require "coppice/memory/available_memory"
require "coppice/os/processors"

module Coppice
  class CLI
    # What a setting comes to, for people, where its value leaves that open: :auto, or nil.
    class Outcome
      #: (Config::Settings, Array[MoldEnvironment::Variable]) -> void
      def initialize(settings, variables)
        @settings = settings
        @variables = variables
      end

      # nil for a value that says all.
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

      # How large the mold is only a server can tell.
      def workers
        answer = Monitor::WorkerCount.new(processors: OS::Processors.new.count, memory_total_kib: Memory::AvailableMemory.new.total_kib).answer
        "#{answer.workers} for #{answer.grounds.fetch(:processors)} processors, fewer if memory is short"
      end

      def allocator
        preloaded = @variables.find { |variable| variable.name == MoldEnvironment::PRELOAD }
        preloaded ? preloaded.value : "the system's"
      end
    end
  end
end
