# frozen_string_literal: true

require "socket"

module Coppice
  module OS
    # The program that started the server and listens to its notifications: systemd (`Type=notify`), or another one with
    # the same protocol. Sends datagrams that never wait. Sources: sd_notify(3), sd_watchdog_enabled(3),
    # sd_listen_fds(3).
    class ServiceManager
      # They are meant for the process that the service manager started. A child that inherited them could speak for the
      # server, or take its sockets.
      VARIABLES = %w[NOTIFY_SOCKET WATCHDOG_USEC WATCHDOG_PID LISTEN_PID LISTEN_FDS LISTEN_FDNAMES
                     LISTEN_PIDFDID].freeze

      # Seconds without a sign of life after which the service manager ends this process; nil when it does not look.
      attr_reader :watchdog_seconds #: Float?

      # Removes the variables from the environment, and returns those that were set.
      #: (Hash[String, String]) -> Hash[String, String]
      def self.take_variables(environment)
        VARIABLES.to_h { |name| [name, environment.delete(name)] }.compact
      end

      # Of the variables that `take_variables` has answered.
      #: (?Hash[String, String]) -> void
      def initialize(variables = {})
        @address = socket_address(variables["NOTIFY_SOCKET"])
        @watchdog_seconds = watchdog(variables) if @address
      end

      # Whether anybody listens.
      #: () -> bool
      def listening? = !@address.nil?

      # Sends assignments such as "READY=1" together. False when the queue is full: try again later.
      #: (Array[String]) -> bool
      def notify(assignments)
        return true unless listening?

        socket.sendmsg_nonblock(assignments.join("\n"), 0, @address, exception: false) != :wait_writable
      rescue SystemCallError # the service manager's socket is gone, and we are told to go on
        true
      end

      # Idempotent.
      #: () -> void
      def close = @socket&.close

      private

      def socket = @socket ||= Socket.new(:UNIX, :DGRAM)

      # A path, or an abstract name behind an @. Other kinds, such as vsock, are for virtual machines.
      def socket_address(name)
        Socket.sockaddr_un(name.sub(/\A@/, "\0")) if name&.match?(/\A[@\/]./)
      rescue ArgumentError # too long
        nil
      end

      def watchdog(variables)
        microseconds = Integer(variables["WATCHDOG_USEC"].to_s, 10, exception: false)
        return unless microseconds&.positive?

        microseconds / 1_000_000.0 if [nil, Process.pid.to_s].include?(variables["WATCHDOG_PID"])
      end
    end
  end
end
