# frozen_string_literal: true

require "forwardable"
require "coppice/child/life"
require "coppice/config/service_definition"
require "coppice/memory/memory_sampler"
require "coppice/os/process_stat"
require "coppice/service/forked_processes"

module Coppice
  # A service process: runs what other application servers run in their master. That is the block of a `service` in the
  # configuration, or the threads that before_service_worker_ready starts. It has no listeners and is never promoted, so
  # it may start threads, fork, and replace itself by another program (exec). The monitor ends it with its process
  # group.
  #
  # The block has the main thread, for as long as it likes. So a helper thread reads the channel, and the monitor sends
  # TERM to make it exit.
  class Service
    extend Forwardable

    STOP_SIGNALS = %w[SIGTERM SIGQUIT].freeze
    PAUSE = 0.2 # seconds
    LOOKS = 10 # for the end of the monitor
    FIRST_MEASURING_PAUSE_MS = 1000
    LONGEST_MEASURING_PAUSE_MS = 60_000
    SHARE_TO_CLOSE = 0.8 # of its timeout, within which a service closes the sockets of its clients

    # handshakes: the socket on which the lobby passes clients, for a service that has a path.
    #: (inheritance: Child::Inheritance, membership: Child::Membership, ?handshakes: Socket?) -> void
    def initialize(inheritance:, membership:, handshakes: nil)
      @handshakes = handshakes
      orders = {
        Control::Messages::Stop => ->(_packet) { Process.kill(:TERM, Process.pid) }, # told before it was ready
        Control::Messages::Measure => ->(_packet) { @sampler.sample }
      }
      @life = Child::Life.new(inheritance: inheritance, membership: membership, orders: orders,
                              orphaned: method(:end_orphan))
    end

    def_delegators :@life, :inheritance, :membership, :log
    # What hooks ask of it.
    def_delegators :membership, :nr, :generation, :pid, :requests_count, :worker?, :mold?, :service?, :to_log

    # The name in the configuration; nil for the service worker.
    #: () -> String?
    def name = membership.service

    # The whole life of the process. Errors of the block pass.
    #: () -> void
    def run
      @life.start
      OS::Signals.raise_stop_signals
      name ? run_block : run_service_worker
      leave
    rescue SignalException => error
      raise unless STOP_SIGNALS.include?(error.signm)

      leave
    ensure
      pass_on_term
    end

    private

    def definition
      @definition ||= inheritance.settings.service(name) || (Config::ServiceDefinition.detected("") if @handshakes) ||
                      raise(Error, "the configuration file no longer has a service #{name}")
    end

    def run_block
      definition
      @life.call_hook(:fork, self)
      begin_work
      @handshakes ? serve_clients : definition.block.call(inheritance.hook_context, self)
    end

    # The application may keep their sockets: then it does all else on threads of its own, as Action Cable does.
    def serve_clients
      require "coppice/threaded_server"
      server = ThreadedServer.of_handshakes(inheritance.app, @handshakes, settings: inheritance.settings, log: log,
                                                                          worker: self)
      server.start.join
    rescue SignalException
      server&.stop(0)
      close_clients if membership.row.leaving == 1
      raise
    ensure
      server&.stop(0)
    end

    # A server that stops has no time to give, and TERM from anybody else than the monitor means at once.
    def close_clients
      require "coppice/threaded_server/gradual_close"
      server = inheritance.board.server
      ThreadedServer::GradualClose.call(definition.timeout * SHARE_TO_CLOSE, log) { server.shutting_down == 1 }
    end

    def run_service_worker
      @life.call_hook(:ready, self)
      begin_work
      Kernel.sleep
    end

    # From here on the kernel sends TERM when the monitor dies, also to another program that takes this one's place.
    def begin_work
      @sampler = Memory::MemorySampler.new(membership.row, log)
      @sampler.set_baseline
      @forked = ForkedProcesses.new(definition, log)
      @life.ready(orphan_signal: Signal.list.fetch("TERM"))
      Thread.new { obey_and_measure }.name = "coppice service"
    end

    # On the helper thread. What the block runs changes its memory at any time, and most of all at its start.
    def obey_and_measure
      pause_ms = FIRST_MEASURING_PAUSE_MS
      until @life.stopping?
        next @life.obey if @life.waiter.wait(pause_ms)

        @life.stop_without_channel
        @sampler.sample if OS::Clock.now_ms >= @sampler.due_ms
        @forked.look
        pause_ms = [pause_ms * 2, LONGEST_MEASURING_PAUSE_MS].min
      end
    end

    # On the helper thread. What the block has forked must not outlive the server either.
    def end_orphan
      @life.stop
      Kernel.sleep(definition.timeout)
      Process.kill(:KILL, 0)
    end

    def leave
      name ? @life.exit_now : @life.finish(self, seconds: definition.timeout)
    end

    # To its process group. The monitor kills what is left of it once this process is gone.
    def pass_on_term
      return unless Process.getpgrp == Process.pid

      trap(:TERM, "IGNORE")
      Process.kill(:TERM, 0)
      stay_for_group
    end

    # When the monitor is gone, the helper thread kills the group, and needs this process for it. It learns of that
    # later than this thread: the kernel sends TERM when the first thread of the monitor has ended.
    def stay_for_group
      LOOKS.times { Kernel.sleep(PAUSE) if !@life.stopping? && others_in_group? }
      Kernel.sleep(PAUSE) while @life.stopping? && others_in_group?
    end

    def others_in_group? = OS::ProcessStat.others_in_group?(Process.pid)
  end
end
