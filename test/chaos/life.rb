# frozen_string_literal: true

require_relative "assembly"
require_relative "census"
require_relative "client"
require_relative "deaths"
require_relative "field"
require_relative "load"
require_relative "losses"
require_relative "server"
require_relative "victims"

module Chaos
  # A rule that did not hold.
  Broken = Class.new(StandardError)

  # One server from its start to its end, under load: bursts of faults, after each of which it has to be whole again.
  class Life
    CLIENTS = 3
    RECOVERY = 60 # seconds; a busy machine takes some of them
    GOODBYE = 30

    # What may be answered besides 200: a request that is past its time, an upload that there is no room for.
    STATUSES = [200, 503, 507].freeze

    attr_reader :done       #: Array[String] -- faults that met somebody, in order
    attr_reader :recoveries #: Array[Float] -- seconds

    #: (Plan::Life, workers: Integer) -> void
    def initialize(plan, workers:)
      @plan = plan
      @server = Server.new(workers: workers, settings: plan.settings)
      @client = Client.new(@server)
      @victims = Victims.new
      @field = Field.new(server: @server, client: @client, victims: @victims)
      @census = Census.new(@server)
      @assembly = Assembly.new(@server, @client)
      @done = []
      @recoveries = []
    end

    # Plays rounds until the instant has come, then the ending. Raises Broken.
    #: (Float) -> void
    def play(deadline)
      begin_service
      @plan.rounds.each { |faults| round(faults) if now < deadline }
      finish
      judge
    rescue RuntimeError => error # it did not start, or did not end
      raise Broken, error.message
    end

    # The server first: a client may wait for it in vain.
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
      @field.wait(RECOVERY) { @server.rows(:service).any?(&:ready?) } or raise Broken, "no service worker"
      @census.take_stock
      @load = Load.new(@client, clients: CLIENTS)
    end

    def round(faults)
      faults.each { |fault| @done << fault.to_s if fault.inject(@field) }
      recover
      complain(Losses.new(@victims, served: @server.served.text).unexcused(@client.lost))
      complain(["#{@client.refusals.size} clients were refused"]) if @client.refusals.any?
    end

    def recover
      began = now
      unless @field.wait(RECOVERY) { alive! && @census.disorder.nil? }
        raise Broken, "not whole within #{RECOVERY} s: #{@census.disorder || 'it was so for a moment'}"
      end

      @assembly.call or raise Broken, "not every slot serves: #{@assembly.met} of #{@server.board.workers_count}"
      @recoveries << (now - began)
    end

    def alive!
      raise Broken, "the server ended: #{@server.status.inspect}" if @server.ended?

      true
    end

    def finish
      await_last_words if @plan.ending.monitor_lost?
      @ended_at = now
      @done << "at the end: #{@plan.ending}"
      @plan.ending.inject(@field)
      status = @server.wait_for_end(GOODBYE)
      bury
      return come_back if @plan.ending.monitor_lost?

      raise Broken, "the server ended with #{status.inspect}" unless status.success?
    end

    # Of those that were lost already: a thread of the monitor's writes the log, and is lost with it.
    def await_last_words = @field.wait(GOODBYE) { Deaths.new(@server.log).untold(@victims).empty? }

    # All that is left of the family is the driver's to reap, since it is a subreaper.
    def bury
      nobody = @field.wait(GOODBYE) { Process.wait(-1, Process::WNOHANG).nil? && @server.children(Process.pid).empty? }
      raise Broken, "outlived the server: #{@server.children(Process.pid)}" unless nobody
    rescue Errno::ECHILD
      nil # so it is
    end

    # A new start takes over the address.
    def come_back
      @server.start_again
      @assembly.call or raise Broken, "after a new start not every slot serves"
      raise Broken, "the new start ended badly" unless @server.stop.success?

      bury
    end

    def judge
      @load.stop
      complain(lost_at_last)
      complain(Deaths.new(@server.log).complaints(@victims))
      complain(answers.except(*STATUSES).map { |status, count| "#{count} answers with status #{status}" })
    end

    # INT ends everybody at once; without a monitor, those who serve still answer.
    def lost_at_last
      lost = @client.lost
      lost.reject! { |request| request.at >= @ended_at } unless @plan.ending.graceful?
      deserted = @plan.ending.monitor_lost? ? { deserted_at: @ended_at } : {}
      Losses.new(@victims, served: @server.served.text).unexcused(lost, **deserted)
    end

    def complain(complaints)
      raise Broken, complaints.first(10).join("\n") unless complaints.empty?
    end
  end
end
