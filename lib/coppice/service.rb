# frozen_string_literal: true

require "forwardable"
require "coppice/life"

module Coppice
  # The service worker: runs, in a process of its own, the threads that other application servers run in their master.
  # It has no listeners and is never promoted, so it may start threads. The monitor ends it.
  class Service
    extend Forwardable

    #: (inheritance: Inheritance, membership: Membership) -> void
    def initialize(inheritance:, membership:)
      @life = Life.new(inheritance: inheritance, membership: membership)
    end

    def_delegators :@life, :inheritance, :membership, :log
    # What hooks ask of it.
    def_delegators :membership, :nr, :generation, :pid, :worker?, :mold?, :service?, :to_log

    # The whole life of the process. The hooks run on the main thread: the first one must return.
    #: () -> void
    def run
      @life.begin
      @life.call_hook(:ready, self)
      @life.ready
      @life.obey_until_stopped
      @life.finish(self, seconds: inheritance.settings.timeout)
    end
  end
end
