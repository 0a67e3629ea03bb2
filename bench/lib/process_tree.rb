# frozen_string_literal: true

require "etc"
require_relative "../../test/support/c_library"
require_relative "cpu_time"

module Bench
  # One process as /proc shows it at one moment. `title` is its command line, where servers say what each child is.
  # `cpu` includes the children that the process has waited for, so that a sum over a tree never loses the time of a
  # process that has exited.
  ProcessEntry = Struct.new(:pid, :parent, :cpu, :title, keyword_init: true) do
    #: () -> bool
    def worker? = title.match?(/\bworker\b/)

    #: () -> bool
    def mold? = title.match?(/\bmold\b/)

    # Whether it holds the clients of a server.
    #: () -> bool
    def lobby? = title.match?(/\bcoppice lobby\b/)

    # Whether it can serve or fork: it is neither starting nor exiting.
    #: () -> bool
    def ready? = !title.match?(/ - (loading|starting|init|leaving|exiting)\b/)

    # The title without the current activity: "coppice worker[0] (gen 2)".
    #: () -> String
    def name = title.partition(" - ").first

    #: () -> Integer? from its title: "(gen:2)", "(gen 2)"
    def generation = title[/\bgen[: ](\d+)/, 1]&.to_i
  end

  # All living descendants of a process, found in /proc. The benchmark itself adopts orphans (PR_SET_CHILD_SUBREAPER).
  # So every process that a server has forked stays a descendant of the benchmark, which can find it and end it by pid.
  class ProcessTree
    include Enumerable

    PR_SET_CHILD_SUBREAPER = 36
    CLOCK_TICKS = Etc.sysconf(Etc::SC_CLK_TCK).to_f
    STOP_TIMEOUT = 5 # seconds

    # From now on orphaned descendants become children of this process.
    #: () -> void
    def self.adopt_orphans
      CLibrary.call("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0).zero? or raise Failure, "there is no subreaper"
    end

    # Kills all descendants of this process.
    #: () -> void
    def self.end_descendants
      deadline = Bench.now + STOP_TIMEOUT
      while (left = new(Process.pid).reject { |entry| entry.pid == Process.pid }).any?
        raise Failure, "cannot kill #{left.map(&:title)}" if Bench.now > deadline

        left.each { |entry| signal(:KILL, entry.pid) }
        reap
        sleep 0.02
      end
    end

    # Reaps every child that has exited already, including adopted orphans.
    #: () -> void
    def self.reap
      loop { break unless Process.wait(-1, Process::WNOHANG) }
    rescue Errno::ECHILD
      nil # none left
    end

    #: (Symbol, Integer) -> bool whether the process existed
    def self.signal(name, pid)
      Process.kill(name, pid)
      true
    rescue Errno::ESRCH
      false
    end

    attr_reader :root #: Integer

    # unrelated: pids of processes that are known not to be descendants, and are not read again. Reading all processes
    # of a machine is slow, so frequent callers pass `unrelated_pids` of their first look.
    #: (Integer, ?unrelated: Array[Integer]) -> void
    def initialize(root, unrelated: [])
      @root = root
      everything = (Dir.children("/proc").grep(/\A\d+\z/).map(&:to_i) - unrelated).filter_map { |pid| read(pid) }
      @pids_read = everything.map(&:pid)
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

    # A process has its parent's title for a moment after the fork. It does not count as a second worker.
    #: () -> Array[ProcessEntry]
    def ready_workers = select { |entry| entry.worker? && entry.ready? }.uniq(&:name)

    # CPU time of all processes of the tree so far.
    #: () -> CpuTime
    def cpu = sum(CpuTime.new(0.0, 0.0), &:cpu)

    # The same of a server's lobby.
    #: () -> CpuTime
    def lobby_cpu = select(&:lobby?).sum(CpuTime.new(0.0, 0.0), &:cpu)

    #: () -> Array[Integer]
    def pids = map(&:pid)

    # The processes that were read and are not part of the tree.
    #: () -> Array[Integer]
    def unrelated_pids = @pids_read - pids

    private

    def read(pid)
      fields = File.read("/proc/#{pid}/stat").rpartition(") ").last.split # the name before it may hold anything
      return if fields[0] == "Z"

      title = File.read("/proc/#{pid}/cmdline").scrub.tr("\0", " ").strip # of any program of the machine
      ProcessEntry.new(pid: pid, parent: fields[1].to_i, cpu: cpu_time(*fields[11, 4]), title: title)
    rescue Errno::ENOENT, Errno::ESRCH
      nil # it exited meanwhile
    end

    # From ticks: of the process itself, and of the children that it has waited for.
    def cpu_time(*ticks)
      user, kernel, waited_user, waited_kernel = ticks.map { |count| count.to_i / CLOCK_TICKS }
      CpuTime.new(user + kernel + waited_user + waited_kernel, kernel + waited_kernel)
    end
  end
end
