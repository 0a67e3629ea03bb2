# frozen_string_literal: true

require "socket"
require "io/nonblock"
require "coppice/listeners/syn_filter"

module Coppice
  module Listeners
    # One address with its sockets: one for each queue. The monitor has the one that was bound, and with it the file of
    # a Unix socket; molds and workers have adopted ones, with the same descriptors. Whoever has one closes it.
    class Listener
      attr_reader :address #: Address  with the real port
      attr_reader :sockets #: Array[Socket]

      # A listener whose sockets this process has just bound.
      #: (Address, Array[Socket]) -> Listener
      def self.bound(address, sockets)
        address = address.with_port(sockets.first.local_address.ip_port) if address.tcp?
        new(address, sockets, owner: Process.pid)
      end

      # One whose descriptors were bound elsewhere and are open in this process.
      #: (Address, Array[Integer]) -> Listener
      def self.adopted(address, descriptors)
        new(address, descriptors.map { |descriptor| Socket.for_fd(descriptor) })
      end

      # `owner` is the process that removes the file of a Unix socket.
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

      # From now on clients can connect. The queues share the backlog. Raises Errno::EADDRINUSE if another socket was
      # faster, which TcpBinder leaves hardly any way for.
      def listen! #: () -> void
        sockets.each do |socket|
          socket.setsockopt(:SOCKET, :REUSEADDR, true) if address.tcp?
          socket.listen(backlog)
        end
      end

      # The descriptors that worker `nr` accepts from: a slice of the queues that moves on with the number. With few
      # `workers` it is wide enough that no queue is left without one.
      #: (Integer, ?workers: Integer?) -> Array[Integer]
      def queues_for(nr, workers: nil)
        return descriptors if sockets.size == 1

        width = [address.options[:queues_per_worker] || (sockets.size - 1), workers ? sockets.size - workers + 1 : 1].max
        descriptors.rotate(nr).first(width)
      end

      # Whether somebody else, such as systemd, has the sockets open and goes on listening.
      def borrowed? #: () -> bool
        @owner.nil?
      end

      # The queue keeps who is in it and takes nobody more, until the last process has closed it. A borrowed one is not
      # ours to shut.
      def drain #: () -> void
        sockets.reject(&:closed?).each { |socket| SynFilter.refuse_new_connections(socket) } unless borrowed?
        close
      end

      # Does no harm when called again. In the process that bound it, also removes the file of a Unix socket.
      def close #: () -> void
        remove_file
        sockets.reject(&:closed?).each do |socket|
          socket.autoclose = true # else Ruby would leave the descriptor open
          socket.close
        end
      end

      private

      # No close at garbage collection: descriptors must live as long as the process needs them, not the object.
      def prepare(socket)
        socket.autoclose = false
        socket.nonblock = true
        socket.close_on_exec = true
      end

      def backlog
        backlog = address.options[:backlog]
        backlog.positive? ? [backlog / sockets.size, 1].max : backlog
      end

      # Only the file that was bound: by now there may be another server's.
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
