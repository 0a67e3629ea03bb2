# frozen_string_literal: true

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
    RECOVERY_TIMEOUT = 60 # seconds; long, because the machine may be busy
    STOP_TIMEOUT = 30 # seconds

    # Valid statuses: 503 for a request timeout, 507 for an upload without disk space.
    STATUSES = [200, 503, 507].freeze

    attr_reader :done       #: Array[String] -- faults that hit a process, in order
    attr_reader :recoveries #: Array[Float] -- seconds

    #: (Plan::Life, workers: Integer) -> void
    def initialize(plan, workers:)
      @plan = plan
      @server = Server.new(workers: workers, settings: plan.settings)
      @client = Client.new(@server)
      @victims = Victims.new
      @target = Target.new(server: @server, client: @client, victims: @victims)
      @consistency = Consistency.new(@server)
      @slot_check = SlotCheck.new(@server, @client)
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
      @target.wait(RECOVERY_TIMEOUT) { @server.rows(:service).any?(&:ready?) } or raise Broken, "no service worker"
      @consistency.remember_descriptors
      @load = Load.new(@client, clients: CLIENTS)
    end

    def round(faults)
      faults.each { |fault| @done << fault.to_s if fault.inject(@target) }
      recover
      complain(Losses.new(@victims, served: @server.served.text).unexcused(@client.lost))
      complain(["#{@client.refusals.size} clients were refused"]) if @client.refusals.any?
    end

    def recover
      began = now
      unless @target.wait(RECOVERY_TIMEOUT) { alive! && @consistency.problem.nil? }
        raise Broken, "no recovery within #{RECOVERY_TIMEOUT} s: #{@consistency.problem || 'recovered too late'}"
      end

      @slot_check.call or raise Broken,
"not every slot serves: #{@slot_check.most_seen} of #{@server.board.workers_count}"
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
      all_gone = @target.wait(STOP_TIMEOUT) do
        Process.wait(-1, Process::WNOHANG).nil? && @server.children(Process.pid).empty?
      end
      raise Broken, "processes outlived the server: #{@server.children(Process.pid)}" unless all_gone
    rescue Errno::ECHILD
      nil # no process is left
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
      complain(unexcused_losses)
      complain(Deaths.new(@server.log).complaints(@victims))
      complain(answers.except(*STATUSES).map { |status, count| "#{count} responses with status #{status}" })
    end

    # INT ends all processes at once. Without a monitor, workers still finish their requests.
    def unexcused_losses
      lost = @client.lost
      lost.reject! { |request| request.at >= @ended_at } unless @plan.ending.graceful?
      monitor_lost = @plan.ending.monitor_lost? ? { monitor_lost_at: @ended_at } : {}
      Losses.new(@victims, served: @server.served.text).unexcused(lost, **monitor_lost)
    end

    def complain(complaints)
      raise Broken, complaints.first(10).join("\n") unless complaints.empty?
    end
  end
end
