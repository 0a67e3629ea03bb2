# frozen_string_literal: true

require "etc"
require "fiddle"
require_relative "cpu_time"

module Bench
  # One process as /proc shows it at one moment. `title` is its command line, where servers tell their children apart.
  # `cpu` includes the children it has already waited for, so that a sum over a tree never loses time when a process in
  # it ends.
  ProcessEntry = Struct.new(:pid, :parent, :cpu, :title, keyword_init: true) do
    #: () -> bool
    def worker? = title.match?(/\bworker\b/)

    #: () -> bool
    def mold? = title.match?(/\bmold\b/)

    # Whether it serves, or can fork: it is neither getting ready nor on its way out.
    #: () -> bool
    def ready? = !title.match?(/ - (loading|starting|init|leaving|exiting)\b/)

    # Who it is, without what it does: "coppice worker[0] (gen 2)".
    #: () -> String
    def name = title.partition(" - ").first

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

    # strangers: processes that are known to be none of its descendants, and need not be read again. To read all that a
    # machine has is slow, so who looks often takes them from its first look.
    #: (Integer, ?strangers: Array[Integer]) -> void
    def initialize(root, strangers: [])
      @root = root
      everything = (Dir.children("/proc").grep(/\A\d+\z/).map(&:to_i) - strangers).filter_map { |pid| read(pid) }
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

    # What the tree has spent so far.
    #: () -> CpuTime
    def cpu = map(&:cpu).inject(CpuTime.new(0.0, 0.0), :+)

    #: () -> Array[Integer]
    def pids = map(&:pid)

    # Who was found beside its own processes.
    #: () -> Array[Integer]
    def strangers = @pids_read - pids

    private

    def read(pid)
      fields = File.read("/proc/#{pid}/stat").rpartition(") ").last.split # the name before it may hold anything
      return if fields[0] == "Z"

      title = File.read("/proc/#{pid}/cmdline").tr("\0", " ").strip
      ProcessEntry.new(pid: pid, parent: fields[1].to_i, cpu: cpu_time(*fields[11, 4]), title: title)
    rescue Errno::ENOENT, Errno::ESRCH
      nil # it has ended while we were looking
    end

    # In ticks: its own, and those of the children it has waited for.
    def cpu_time(*ticks)
      user, kernel, waited_user, waited_kernel = ticks.map { |count| count.to_i / CLOCK_TICKS }
      CpuTime.new(user + kernel + waited_user + waited_kernel, kernel + waited_kernel)
    end
  end
end
