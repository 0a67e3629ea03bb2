# frozen_string_literal: true

require "forwardable"
require "coppice/child/life"
require "coppice/control/guest_request"
require "coppice/guest/environment"
require "coppice/guest/exit"
require "coppice/guest/program"
require "coppice/guest/streams"
require "coppice/memory/memory_sampler"

module Coppice
  # A fork of the mold that runs a program for a client of `coppice run`: the application is there already. It has no
  # listener, serves no client and is never promoted. Once it is ready it has no channel either: to tell it something,
  # the monitor sends signals to its process group, as a terminal does. So the program may replace the process (exec).
  class Guest
    extend Forwardable

    NICENESS = 5 # added: clients go first
    OOM_SCORE = 500 # added, of 1000: the kernel kills a guest before a worker
    OOM_FILE = "/proc/self/oom_score_adj"

    #: (inheritance: Child::Inheritance, membership: Child::Membership, stdin: IO, stdout: IO, stderr: IO,
    #    request: IO) -> void
    def initialize(inheritance:, membership:, stdin:, stdout:, stderr:, request:)
      @life = Child::Life.new(inheritance: inheritance, membership: membership,
                              signals: OS::Signals.method(:die_by_all))
      @streams = Streams.new(stdin, stdout, stderr)
      @request_file = request
    end

    def_delegators :@life, :inheritance, :membership, :log
    # What hooks ask of it.
    def_delegators :membership, :nr, :generation, :pid, :requests_count, :worker?, :mold?, :service?, :to_log

    # The whole life of the process. Errors of the program pass.
    #: () -> void
    def run
      Exit.take_over do
        request = prepare
        program = program_of(request)
        @life.call_hook(:fork, self)
        report(request.summary)
        program.run
      end
    end

    private

    def prepare
      @life.start
      request = Control::GuestRequest.read(@request_file)
      @request_file.close
      membership.row.request = request.summary
      lower_priority # what it logs is for the server's log, not for the client's terminal
      @streams.take(terminal: request.terminal)
      request
    end

    # Exits for what the client must not, or cannot, run here.
    def program_of(request)
      Environment.new(inheritance.environment).take(request)
      Program.new(request, directory: inheritance.directory).tap(&:check)
    rescue Error => error
      $stderr.puts "coppice: #{error.message}"
      exit(1)
    end

    # From here on signals are the program's, and it gets HUP when the monitor dies, no longer KILL.
    def report(summary)
      membership.row.started_ms = OS::Clock.now_ms
      Memory::MemorySampler.new(membership.row, log).set_baseline
      OS.parent_death_signal(Signal.list.fetch("HUP"))
      OS::Signals.reset
      membership.ready
      membership.status = summary
      @life.close
    end

    def lower_priority
      Process.setpriority(Process::PRIO_PROCESS, 0, Process.getpriority(Process::PRIO_PROCESS, 0) + NICENESS)
      File.write(OOM_FILE, [Integer(File.read(OOM_FILE), 10) + OOM_SCORE, 1000].min.to_s)
    rescue SystemCallError => error # a sandbox
      log.info("a guest runs at the server's priority", error: error.message)
    end
  end
end
