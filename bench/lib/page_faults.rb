# frozen_string_literal: true

require "set"
require "tmpdir"
require_relative "setup"

module Bench
  # The page faults of a process and of the processes that it forks, as perf(1) records them, with the stacks of C
  # functions. A page of anonymous memory that a process shares with its parent faults once: at the first write.
  class PageFaults
    PAGE_BYTES = 4096
    # Each fault with its address and its stack.
    RECORD = %w[record --quiet -k CLOCK_MONOTONIC -e page-faults -c 1 -d --call-graph dwarf,4096 -m 8M].freeze

    # `at` in seconds of the monotonic clock, `page` is the page's number, `functions` the innermost first.
    Fault = Struct.new(:at, :page, :functions)

    # Records while the block runs.
    #: (Integer) { () -> void } -> PageFaults
    def self.during(pid)
      raise Failure, "perf is not installed" unless Setup.program("perf")

      Dir.mktmpdir("coppice-bench") do |folder|
        file = File.join(folder, "perf.data")
        perf, control = start(pid, file)
        yield
        Process.kill(:INT, perf)
        Process.wait(perf)
        control.each(&:close)
        new(text_of(file))
      end
    end

    # Answers its pid and the pipes that must stay open: perf ends with them.
    def self.start(pid, file)
      orders, acknowledgements = IO.pipe, IO.pipe
      theirs = [orders.first, acknowledgements.last]
      perf = Process.spawn(Setup.program("perf"), *RECORD, "-o", file, "-p", pid.to_s,
        "--control", "fd:#{theirs.map(&:fileno).join(",")}", err: File::NULL,
        theirs.first => theirs.first, theirs.last => theirs.last)
      theirs.each(&:close)
      orders.last.puts "ping" # is answered once it records
      acknowledgements.first.gets or raise Failure, "perf cannot record: are you root?"
      [perf, [orders.last, acknowledgements.first]]
    end

    def self.text_of(file)
      IO.popen([Setup.program("perf"), "script", "-i", file, "-F", "pid,time,addr,ip,sym", "--ns", "--no-inline"],
        err: File::NULL, &:read)
    end
    private_class_method :start, :text_of

    # text: what perf script prints.
    #: (String) -> void
    def initialize(text)
      @by_pid = Hash.new { |hash, pid| hash[pid] = [] }
      text.split("\n\n").each do |sample|
        head, *stack = sample.lines
        pid, time, address = head.split
        functions = stack.map { |line| line.split(" ", 2).last.chomp.sub(/@.*/, "") }
        @by_pid[pid.to_i] << Fault.new(time.to_f, address.hex / PAGE_BYTES, functions) if address
      end
    end

    # The first fault of each page of a process.
    #: (Integer) -> Array[Fault]
    def of(pid)
      seen = Set.new
      @by_pid[pid].select { |fault| seen.add?(fault.page) }
    end
  end
end
