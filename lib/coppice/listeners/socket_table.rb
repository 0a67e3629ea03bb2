# frozen_string_literal: true

module Coppice
  module Listeners
    # The kernel's tables of sockets: proc_pid_net(5).
    module SocketTable
      LISTENS = "0A" # the state of a TCP socket

      # The rows of a table (tcp, tcp6, unix) in the network namespace of a process, each as its fields: bytes, since
      # anybody may give a Unix socket a name that is no text. A kernel may lack IPv6.
      #: (String, ?pid: Integer | String) -> Array[Array[String]]
      def self.rows(name, pid: "self")
        file = "/proc/#{pid}/net/#{name}"
        File.readable?(file) ? File.readlines(file, mode: "rb").drop(1).map(&:split) : []
      end

      # The number of connections that wait, by the inode of each listening TCP socket.
      #: (?pid: Integer | String) -> Hash[Integer, Integer]
      def self.tcp_queues(pid: "self")
        listening(pid).to_h { |fields| [fields[9].to_i, fields[4].split(":").last.to_i(16)] }
      end

      # The inode and the local address of each listening TCP socket.
      #: (?pid: Integer | String) -> Array[[String, String]]
      def self.tcp_listeners(pid: "self") = listening(pid).map { |fields| [fields[9], fields[1]] }

      def self.listening(pid)
        %w[tcp tcp6].flat_map { |name| rows(name, pid: pid) }.select { |fields| fields[3] == LISTENS }
      end
      private_class_method :listening
    end
  end
end
