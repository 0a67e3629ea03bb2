# frozen_string_literal: true

module Coppice
  module Config
    # A service process that there should be.
    #
    #   name              nil for the service worker, which the hooks before_service_worker_… describe
    #   survives_reforks  whether it keeps running when a new generation is committed
    #   timeout           seconds from TERM until it is killed
    #   path              of the WebSocket handshakes that are for it; nil for none
    #   block             what it runs; nil for the service worker, and for one that serves handshakes
    ServiceDefinition = Struct.new(:name, :survives_reforks, :timeout, :path, :block, keyword_init: true)
  end
end
