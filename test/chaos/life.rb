# frozen_string_literal: true

require_relative "../support/stall_meter"
require_relative "slot_check"
require_relative "consistency"
require_relative "client"
require_relative "deaths"
require_relative "target"
require_relative "load"
require_relative "losses"
require_relative "server"
require_relative "victims"

module Chaos
  # A rule was broken.
  Broken = Class.new(StandardError)

  # One server from its start to its end, under load. After each burst of faults it must recover completely.
  class Life
    CLIENTS = 3
    # Seconds. Long, because the machine may be busy: a trial that gets no request takes Server::CANARY_TIME.
    RECOVERY_TIMEOUT = 180
    STOP_TIMEOUT = 60 # seconds
    LOG_TIMEOUT = 60 # seconds from a death until its line in the log

    # Seconds in which the driver itself did not run. On such a machine the server and its clients did not run either:
    # their limits, which are no shorter, say nothing.
    GAP = 1

    # Valid statuses: 503 for a request timeout, 507 for an upload without disk space.
    STATUSES = [200, 503, 507].freeze

    attr_reader :done       #: Array[String] -- faults that hit a process, in order
    attr_reader :recoveries #: Array[Float] -- seconds

    #: (Plan::Life, workers: Integer) -> void
    def initialize(plan, workers:)
      @plan = plan
      @server = Server.new(workers: workers, **plan.to_h.slice(:settings, :lobby))
      @client = Client.new(@server)
      @victims = Victims.new
      @meter = Coppice::StallMeter.new(noted: GAP)
      @target = Target.new(server: @server, client: @client, victims: @victims)
      @consistency = Consistency.new(@server)
      @slot_check = SlotCheck.new(@target)
      @done = []
      @recoveries = []
    end

    # Plays rounds until the deadline (monotonic seconds), then the ending. Raises Broken.
    #: (Float) -> void
    def play(deadline)
      begin_service
      @plan.rounds.each { |faults| round(faults) if now < deadline }
      finish
      judge
    rescue RuntimeError => error # the server did not start, or did not stop
      raise Broken, error.message
    end

    # Stops the server first: a client may still wait for a response.
    #: () -> void
    def clean_up
      @server.clean_up
    ensure
      @load&.stop
      @meter.stop
    end

    #: () -> Hash[Integer, Integer]
    def answers = @client.answers

    #: () -> Integer
    def lost = @client.lost.size

    #: () -> Hash[String, Integer]
    def causes = Deaths.new(@server.log).causes

    #: () -> String
    def log = @server.log

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def begin_service
      @server.start
      @target.wait(RECOVERY_TIMEOUT) { @consistency.services_ready? } or raise Broken, "not all services run"
      @consistency.remember_descriptors
      @load = Load.new(@client, clients: CLIENTS)
    end

    def round(faults)
      faults.each { |fault| inject(fault) }
      recover
      complain(unexcused(@client.lost))
      complain(["#{@client.refusals.size} clients were refused"]) if @client.refusals.any?
    end

    def inject(fault)
      @failing_release ||= fault.is_a?(Faults::InRoll) && fault.fails?
      @done << fault.to_s if fault.inject(@target)
    end

    def recover
      began = now
      unless @target.wait(RECOVERY_TIMEOUT) { alive! && @consistency.problem.nil? }
        raise Broken, "no recovery within #{RECOVERY_TIMEOUT} s: #{@consistency.problem || 'recovered too late'}"
      end

      unless @slot_check.call
        raise Broken, "not every slot serves: #{@slot_check.most_seen} of #{@server.board.workers_count}"
      end

      @recoveries << (now - began)
    end

    def alive!
      raise Broken, "the server exited: #{@server.status.inspect}" if @server.ended?

      true
    end

    def finish
      wait_for_the_log if @plan.ending.monitor_lost?
      @ended_at = now
      @done << "at the end: #{@plan.ending}"
      @plan.ending.inject(@target)
      status = @server.wait_for_end(STOP_TIMEOUT)
      reap_leftovers
      return restart_and_stop if @plan.ending.monitor_lost?

      raise Broken, "the server exited with #{status.inspect}" unless status.success?
    end

    # Waits until all deaths so far are logged, because the monitor's log thread dies with the monitor.
    def wait_for_the_log = @target.wait(STOP_TIMEOUT) { Deaths.new(@server.log).unlogged(@victims).empty? }

    # The driver is a subreaper, so it reaps the remaining processes of the server.
    def reap_leftovers
      all_gone = @target.wait(STOP_TIMEOUT) { no_child_left? }
      raise Broken, "processes outlived the server: #{@server.children(Process.pid)}" unless all_gone
    end

    def no_child_left?
      Process.wait(-1, Process::WNOHANG)
      false
    rescue Errno::ECHILD
      true
    end

    # A new server must be able to take over the address.
    def restart_and_stop
      @server.start_again
      @slot_check.call or raise Broken, "after a restart not every slot serves"
      raise Broken, "the restarted server did not stop with status 0" unless @server.stop.success?

      reap_leftovers
    end

    def judge
      @load.stop
      @target.provoked.each { |id, fault| fault.note_victims(@target, id) }
      complain(unexcused_losses)
      complain(Deaths.new(@server.log).complaints(@victims))
      valid = @failing_release ? [*STATUSES, 500] : STATUSES
      complain(answers.except(*valid).map { |status, count| "#{count} responses with status #{status}" })
    end

    # INT ends all processes at once. Without a monitor, workers still finish their requests.
    def unexcused_losses
      lost = @client.lost
      lost.reject! { |request| request.at >= @ended_at } unless @plan.ending.graceful?
      monitor_lost = @plan.ending.monitor_lost? ? { monitor_lost_at: @ended_at } : {}
      unexcused(lost, **monitor_lost)
    end

    # The log may tell later that the worker of a lost request was over a limit. served is read after the loss, so that
    # it has the request.
    def unexcused(lost, **monitor_lost)
      unexcused = losses.unexcused(lost, **monitor_lost)
      return unexcused if unexcused.empty?

      @target.wait(LOG_TIMEOUT) do
        unexcused = losses(late: Deaths.new(@server.log).late).unexcused(lost, **monitor_lost)
        unexcused.empty?
      end
      unexcused
    end

    def losses(**late) = Losses.new(@victims, served: @server.served.text, gaps: @meter.gaps, **late)

    def complain(complaints)
      raise Broken, complaints.first(10).join("\n") unless complaints.empty?
    end
  end
end
