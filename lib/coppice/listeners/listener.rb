# frozen_string_literal: true

require "socket"
require "io/nonblock"
require "coppice/listeners/syn_filter"

module Coppice
  module Listeners
    # One address with its sockets: one for each queue. The monitor's listener has bound them, and owns the file of a
    # Unix socket; molds and workers adopt the same descriptors. Each process closes its own.
    class Listener
      DEFAULT_BACKLOG = 1024

      attr_reader :address #: Address  with the real port
      attr_reader :sockets #: Array[Socket]

      # A listener whose sockets this process has just bound.
      #: (Address, Array[Socket]) -> Listener
      def self.bound(address, sockets)
        address = address.with_port(sockets.first.local_address.ip_port) if address.tcp?
        new(address, sockets, owner: Process.pid)
      end

      # A listener whose descriptors are open in this process, but were bound by another one.
      #: (Address, Array[Integer]) -> Listener
      def self.adopted(address, descriptors)
        new(address, descriptors.map { |descriptor| Socket.for_fd(descriptor) })
      end

      # `owner` is the pid of the process that removes the file of a Unix socket.
      #: (Address, Array[Socket], ?owner: Integer?) -> void
      def initialize(address, sockets, owner: nil)
        @address = address
        @sockets = sockets.each { |socket| prepare(socket) }.freeze
        @owner = owner
        @file = file_identity if owner
      end

      # The address as clients reach it.
      def name #: () -> String
        address.to_s
      end

      def descriptors #: () -> Array[Integer]
        sockets.map(&:fileno)
      end

      # Of its sockets, by which the kernel's tables name them.
      def inodes #: () -> Array[Integer]
        @inodes ||= sockets.map { |socket| socket.stat.ino }
      end

      # The number of connections that may wait, in all queues together: the configured one, or else the default, also
      # for a borrowed socket, whose own is not known here.
      def backlog #: () -> Integer
        address.options[:backlog] || DEFAULT_BACKLOG
      end

      # Starts to accept connections. The queues share the backlog. A borrowed socket that listens keeps the backlog
      # that its owner gave it, unless the configuration names one. Raises Errno::EADDRINUSE when another socket listens
      # by now, which TcpBinder makes nearly impossible.
      def listen! #: () -> void
        sockets.each do |socket|
          next if borrowed? && address.options[:backlog].nil? && listening?(socket)

          socket.setsockopt(:SOCKET, :REUSEADDR, true) if address.tcp?
          socket.listen(backlog_of_queue)
        end
      end

      # The descriptors that worker `nr` accepts from: a slice of the queues, which rotates with the number. With few
      # `workers` it is wide enough that each queue has a worker.
      #: (Integer, workers: Integer) -> Array[Integer]
      def queues_for(nr, workers:)
        return descriptors if sockets.size == 1

        preferred = address.options[:queues_per_worker] || (sockets.size - 1)
        minimum = sockets.size - workers + 1
        descriptors.rotate(nr).first([preferred, minimum].max)
      end

      # Whether another process, such as systemd, owns the sockets and continues to listen.
      def borrowed? #: () -> bool
        @owner.nil?
      end

      # Stops accepting new connections; those in the queue stay until the last process has closed the socket. A
      # borrowed socket is only closed: its owner continues to listen.
      def refuse_new_connections #: () -> void
        sockets.reject(&:closed?).each { |socket| SynFilter.refuse_new_connections(socket) } unless borrowed?
        close
      end

      # Idempotent. In the process that bound it, also removes the file of a Unix socket.
      def close #: () -> void
        remove_file
        sockets.reject(&:closed?).each do |socket|
          socket.autoclose = true # else Ruby would leave the descriptor open
          socket.close
        end
      end

      private

      # No close at garbage collection: the descriptors outlive the Ruby objects.
      def prepare(socket)
        socket.autoclose = false
        socket.nonblock = true
        socket.close_on_exec = true
      end

      def listening?(socket) = socket.getsockopt(:SOCKET, :ACCEPTCONN).bool

      def backlog_of_queue
        backlog.positive? ? [backlog / sockets.size, 1].max : backlog
      end

      # Only the file that this listener has bound: by now another server may have replaced it.
      def remove_file
        File.unlink(address.path) if @file && @owner == Process.pid && @file == file_identity
        @file = nil
      end

      def file_identity
        status = File.lstat(address.path) if address.unix?
        [status.dev, status.ino] if status
      rescue Errno::ENOENT
        nil
      end
    end
  end
end
