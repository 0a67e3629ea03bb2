# frozen_string_literal: true

require "coppice/coppice_ext"
require "coppice/listeners/socket_table"

module Coppice
  module Listeners
    # Asks the kernel by sock_diag(7); where that is refused, or the sockets are in another network namespace, it reads
    # /proc, which has TCP sockets only.
    module SocketQueues
      # How many connections wait to be accepted, and how many may. backlog is nil when only /proc tells of the socket.
      SocketQueue = Struct.new(:waiting, :backlog)
      FAMILIES = [:inet, :inet6, :unix].freeze

      # By inode: those of these sockets that are known. pid: a process in the sockets' network namespace.
      #: (Array[Integer], ?pid: Integer | String) -> Hash[Integer, SocketQueue]
      def self.of(inodes, pid: "self")
        found = asked_for(inodes)
        missing = inodes - found.keys
        missing.empty? ? found : found.merge(in_proc(missing, pid))
      end

      # The same without /proc, whose tables list each connection of the machine. Asks only for the families that are
      # needed: a machine may have many Unix sockets.
      #: (Array[Integer]) -> Hash[Integer, SocketQueue]
      def self.asked_for(inodes)
        FAMILIES.each_with_object({}) do |family, found|
          break found if found.size == inodes.size

          queues = OS.listen_queues(family) || {}
          inodes.each { |inode| found[inode] = SocketQueue.new(*queues[inode]) if queues.key?(inode) }
        end
      end

      def self.in_proc(inodes, pid)
        SocketTable.tcp_queues(pid: pid).slice(*inodes).transform_values { |waiting| SocketQueue.new(waiting, nil) }
      rescue SystemCallError # a sandbox hides it
        {}
      end
      private_class_method :in_proc
    end
  end
end
