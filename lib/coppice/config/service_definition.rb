# frozen_string_literal: true

require "coppice/memory/process_limits"

module Coppice
  module Config
    DETECTED_SERVICE = "cable" # the name of one that an application of Rails gets for its WebSockets

    # Adapters of Action Cable with which a broadcast stays in the process that makes it.
    LOCAL_CABLE_ADAPTERS = %w[async inline test].freeze
    LOCAL_CABLE_REMEDY = "set another adapter in config/cable.yml: solid_cable, redis or postgresql"

    # A service process that there should be.
    #
    #   name              nil for the service worker, which the hooks before_service_worker_… describe
    #   survives_reforks  whether it keeps running when a new generation is committed
    #   timeout           seconds from TERM until it is killed
    #   memory_limit      of it, and of each process that it has forked; nil for none
    #   max_age           the same, in seconds
    #   path              of the WebSocket handshakes that are for it; nil for none
    #   block             what it runs; nil for the service worker, and for one that serves handshakes
    ServiceDefinition = Struct.new(:name, :survives_reforks, :timeout, :memory_limit, :max_age, :path, :block,
      keyword_init: true) do
      # For the WebSockets of an application that has said where they are, in a configuration that says nothing.
      #: (String) -> ServiceDefinition
      def self.detected(path) = new(name: DETECTED_SERVICE, survives_reforks: true, timeout: 10, path: path).freeze

      #: () -> Memory::ProcessLimits
      def limits = Memory::ProcessLimits.new(memory: memory_limit, age: max_age)
    end
  end
end
