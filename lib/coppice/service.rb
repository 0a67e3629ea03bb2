# frozen_string_literal: true

require "forwardable"

module Coppice
  # The service worker: runs, in a process of its own, what used to be threads in
  # an application server's master. Holds no listener and is never promoted, so it
  # may start threads. Runs in the service process; owns its channel; the monitor
  # ends it.
  class Service
    extend Forwardable

    attr_reader :inheritance #: Inheritance
    attr_reader :membership  #: Membership

    #: (inheritance: Inheritance, membership: Membership) -> void
    def initialize(inheritance:, membership:)
      @inheritance = inheritance
      @membership = membership
      @stopping = false
    end

    def_delegators :membership, :nr, :generation, :pid # what hooks ask of it

    #: () -> Log
    def log = @log ||= inheritance.log_of(membership)

    # The whole life. The hooks run on the main thread: the first must not block.
    #: () -> void
    def run
      membership.join(inheritance)
      membership.report_stop_signals
      waiter = Waiter.new([], membership.channel.fileno)
      hook(:before_service_worker_ready)
      membership.ready
      membership.status = "ready"
      obey(waiter) until @stopping
      membership.begin_leaving(inheritance.settings.timeout)
      hook(:before_service_worker_exit)
      exit
    end

    private

    def hook(name)
      inheritance.settings.hook(name)&.call(inheritance.server, self)
    end

    def obey(waiter)
      waiter.wait(nil)
      packet = membership.channel.receive
      @stopping = true if packet == :closed || (packet != :empty && packet.message.is_a?(Control::Messages::Stop))
    end
  end
end
