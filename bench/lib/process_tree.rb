# frozen_string_literal: true

require "etc"
require "fiddle"

module Bench
  # One process as /proc shows it at one moment. `title` is its command line, where servers tell their children apart.
  # `cpu_seconds` includes the children it has already waited for, so that a sum over a tree never loses time when
  # a process in it ends.
  ProcessEntry = Struct.new(:pid, :parent, :cpu_seconds, :title, keyword_init: true) do
    #: () -> bool
    def worker? = title.match?(/\bworker\b/)

    #: () -> bool
    def mold? = title.match?(/\bmold\b/)

    #: () -> Integer? as its title tells it: "(gen:2)", "(gen 2)"
    def generation = title[/\bgen[: ](\d+)/, 1]&.to_i
  end

  # All living processes that descend from one, found in /proc. The benchmark itself takes in orphans (PR_SET_CHILD_SUBREAPER):
  # whatever a server has forked, and however it ended, is still a descendant of ours and can be found and ended by pid.
  class ProcessTree
    include Enumerable

    PR_SET_CHILD_SUBREAPER = 36
    CLOCK_TICKS = Etc.sysconf(Etc::SC_CLK_TCK).to_f
    STOP_TIMEOUT = 5

    # From now on orphaned descendants become children of this process.
    #: () -> void
    def self.adopt_orphans
      prctl = Fiddle::Function.new(Fiddle.dlopen(nil)["prctl"], [Fiddle::TYPE_INT] + ([Fiddle::TYPE_LONG] * 4), Fiddle::TYPE_INT)
      prctl.call(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0).zero? or raise SystemCallError.new("prctl", Fiddle.last_error)
    end

    # Ends everything that this process has started, at once.
    #: () -> void
    def self.end_descendants
      deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + STOP_TIMEOUT
      while (left = new(Process.pid).reject { |entry| entry.pid == Process.pid }).any?
        raise Failure, "cannot end #{left.map(&:title)}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline

        left.each { |entry| signal(:KILL, entry.pid) }
        reap
        sleep 0.02
      end
    end

    # Waits for every child that has ended already: ours, or an orphan.
    #: () -> void
    def self.reap
      loop { break unless Process.wait(-1, Process::WNOHANG) }
    rescue Errno::ECHILD
      nil # none left
    end

    #: (Symbol, Integer) -> bool whether it was there to be told
    def self.signal(name, pid)
      Process.kill(name, pid)
      true
    rescue Errno::ESRCH
      false
    end

    attr_reader :root #: Integer

    #: (Integer) -> void
    def initialize(root)
      @root = root
      everything = Dir.children("/proc").grep(/\A\d+\z/).filter_map { |pid| read(pid.to_i) }
      @by_parent = everything.group_by(&:parent)
      @top = everything.find { |entry| entry.pid == root }
    end

    # The root first, then its descendants.
    def each(&block)
      queue = [@top].compact
      while (entry = queue.shift)
        yield entry
        queue.concat(@by_parent.fetch(entry.pid, []))
      end
    end

    #: () -> Float CPU time that the tree has spent so far, in user space and in the kernel
    def cpu_seconds = sum(&:cpu_seconds)

    #: () -> Array[Integer]
    def pids = map(&:pid)

    private

    def read(pid)
      fields = File.read("/proc/#{pid}/stat").rpartition(") ").last.split # the name before it may hold anything
      return if fields[0] == "Z"

      ticks = fields.values_at(11, 12, 13, 14).sum(&:to_i) # utime stime cutime cstime
      title = File.read("/proc/#{pid}/cmdline").tr("\0", " ").strip
      ProcessEntry.new(pid: pid, parent: fields[1].to_i, cpu_seconds: ticks / CLOCK_TICKS, title: title)
    rescue Errno::ENOENT, Errno::ESRCH
      nil # it has ended while we were looking
    end
  end
end
