# frozen_string_literal: true

require "coppice/memory/available_memory"
require "coppice/memory/rollup"
require "coppice/os/clock"
require "coppice/os/proc_folder"
require "coppice/os/process_stat"

module Coppice
  class Service
    # Holds each process that a service has forked to the service's limits. One that is over a limit gets TERM, at which
    # such processes exit between two jobs, and KILL if it is still there after the service's timeout. What these
    # processes fork, and programs that the service runs (exec), belong to a job, and have no limits.
    class ForkedProcesses
      #: (Config::ServiceDefinition, Log) -> void
      def initialize(definition, log)
        @limits = definition.limits
        @timeout = definition.timeout
        @log = log
        @total_kib = Memory::AvailableMemory.new.total_kib if @limits.any?
        @seen_at = {} # pid => when it was first seen (monotonic seconds)
        @deadlines = {} # pid => when one that was told to exit is killed
      end

      # To be called again and again. A process is as old as it has been seen.
      #: (?Float) -> void
      def look(now = OS::Clock.now)
        return unless @limits.any?

        pids = forked
        @seen_at = pids.to_h { |pid| [pid, @seen_at.fetch(pid, now)] }
        @deadlines = @deadlines.slice(*pids)
        pids.each { |pid| @deadlines.key?(pid) ? kill_late(pid, now) : tell_over_limit(pid, now) }
      end

      private

      def forked
        OS::ProcFolder.children.select { |pid| (stat = OS::ProcessStat.of(pid)) && !stat.replaced? && !stat.ended? }
      end

      def tell_over_limit(pid, now)
        excess = @limits.excess(pid, now - @seen_at.fetch(pid), @total_kib) { sizes(pid) } or return
        @log.info("recycling a process of the service", child_pid: pid, **excess)
        @deadlines[pid] = now + @timeout
        signal(pid, :TERM)
      end

      def kill_late(pid, now)
        return if now < @deadlines.fetch(pid)

        @log.error("killing a process of the service", child_pid: pid, why: :stop_timeout)
        signal(pid, :KILL)
      end

      def sizes(pid)
        Memory::Rollup.of(pid)
      rescue SystemCallError => error
        @log.warn("memory is not measured", child_pid: pid, error: error.message) unless gone?(error)
      end

      def signal(pid, name)
        Process.kill(name, pid)
      rescue SystemCallError => error
        @log.warn("no signal", child_pid: pid, error: error.message) unless gone?(error)
      end

      def gone?(error) = error.is_a?(Errno::ESRCH) || error.is_a?(Errno::ENOENT)
    end
  end
end
