# frozen_string_literal: true

require "coppice/config/maximum"
require "coppice/errors"

module Coppice
  module Config
    # Values that are valid alone, but not together.
    class Combinations
      #: (SourceValues, Hash[String, ServiceDefinition]) -> void
      def initialize(merged, services)
        @services = services
        @values = merged.values
        @origins = merged.origins
        @listen = @values.fetch(:listen)
      end

      # Raises ConfigError.
      #: () -> void
      def verify
        verify_admin
        verify_client_check
        verify_queues
        verify_proxy_protocol
        verify_keep_mold
        verify_handshakes
      end

      private

      def verify_admin
        public = @values[:admin_listen]&.find { |address| !address.local? }
        return if public.nil? || @values[:admin_token]

        refuse(:admin_listen, "other machines can reach admin_listen #{public}, so it needs admin_token",
          "Set admin_token, or listen on 127.0.0.1 or on a Unix socket")
      end

      def verify_client_check
        return unless @values[:check_client_connection]

        corked = @listen.find { |address| address.options[:tcp_nopush] } or return
        refuse(:check_client_connection,
          "check_client_connection cannot be combined with tcp_nopush (listen #{corked})", "Remove one of them")
      end

      def verify_queues
        lobby, workers = @listen.partition(&:lobby?)
        { "with the lobby" => [lobby, Maximum::LOBBY_QUEUES],
          "without the lobby" => [workers, Maximum::QUEUES] }.each do |kind, (addresses, maximum)|
          sockets = addresses.sum { |address| address.options[:queues] }
          next if sockets <= maximum

          refuse(:listen, "#{sockets} sockets to listen on #{kind}, and there can be #{maximum}",
            "Use fewer listeners or fewer queues")
        end
      end

      def verify_proxy_protocol
        wrong = @listen.find { |address| address.options[:proxy_protocol] && !address.lobby? } or return
        refuse(:listen, "proxy_protocol needs the lobby (listen #{wrong})", "Add lobby: true")
      end

      def verify_keep_mold
        return unless @values[:keep_mold] == false

        option = "guests" if @values[:guests]
        option = "fork_audit :refuse" if @values[:fork_audit] == :refuse
        refuse(:keep_mold, "#{option} needs a mold, and keep_mold false lets it exit", "Remove one of them") if option
      end

      # A single process runs no services.
      def verify_handshakes
        service = @services.each_value.find(&:path)
        return if service.nil? || @values[:worker_processes] == 0 || @listen.any?(&:lobby?)

        refuse(:listen, "service #{service.name} has a path, which only the lobby knows",
          "Add lobby: true to listen")
      end

      def refuse(name, message, remedy)
        raise ConfigError.new(message, file: @origins[name], remedy: remedy)
      end
    end
  end
end
