# frozen_string_literal: true

require "ipaddr"

module Coppice
  module Listeners
    # The kernel's tables of sockets: proc_pid_net(5).
    module SocketTable
      LISTENS = "0A" # the state of a TCP socket

      # The rows of a table (tcp, tcp6, unix) in the network namespace of a process, each as its fields. A kernel may
      # lack IPv6.
      #: (String, ?pid: Integer | String) -> Array[Array[String]]
      def self.rows(name, pid: "self")
        file = "/proc/#{pid}/net/#{name}"
        File.readable?(file) ? File.readlines(file).drop(1).map(&:split) : []
      end

      # The number of connections that wait, by the inode of each listening TCP socket.
      #: (?pid: Integer | String) -> Hash[Integer, Integer]
      def self.tcp_queues(pid: "self")
        rows = %w[tcp tcp6].flat_map { |name| rows(name, pid: pid) }.select { |fields| fields[3] == LISTENS }
        rows.to_h { |fields| [fields[9].to_i, fields[4].split(":").last.to_i(16)] }
      end

      # The inode and the local address of each listening TCP socket.
      #: (?pid: Integer | String) -> Array[[String, String]]
      def self.tcp_listeners(pid: "self")
        %w[tcp tcp6].flat_map { |name| rows(name, pid: pid) }.filter_map do |_, local, _, state, *rest|
          [rest[5], local] if state == LISTENS
        end
      end
    end

    # Finds the processes that have a socket at an address open, for error messages. Reads /proc; the answer is best
    # effort and may be empty.
    class AddressOwners
      #: (Address) -> void
      def initialize(address)
        @address = address
      end

      # The processes as text: "pid 12 (ruby), pid 13 (nginx)".
      def to_s #: () -> String
        found = pids.map { |pid| "pid #{pid} (#{command(pid)})" }
        found.empty? ? "another process" : found.join(", ")
      end

      # The titles of processes that exit when they have answered their clients.
      DRAINING = ["coppice worker[", "coppice lobby"].freeze
      private_constant :DRAINING

      # Whether all owners are workers or the lobby of a server whose monitor has exited, or has closed the address.
      def draining_workers? #: () -> bool
        titles = pids.map { |pid| title(pid) }
        titles.any? && titles.all? { |title| title.start_with?(*DRAINING) }
      end

      # The pids of the owners.
      def pids #: () -> Array[Integer]
        wanted = inodes.map { |inode| "socket:[#{inode}]" }
        return [] if wanted.empty?

        Dir.children("/proc").grep(/\A\d+\z/).map(&:to_i).sort.select { |pid| owns?(pid, wanted) }
      end

      # Inodes of sockets at the address: listening ones for TCP (the kernel lists no others), any for Unix.
      def inodes #: () -> Array[String]
        @address.unix? ? unix_inodes : tcp_inodes
      end

      private

      def tcp_inodes
        port = format(":%04X", @address.port)
        SocketTable.tcp_listeners.filter_map { |inode, local| inode if local.end_with?(port) }
      end

      def unix_inodes
        SocketTable.rows("unix").filter_map { |fields| fields[6] if fields[7..]&.join(" ") == @address.path }
      end

      def owns?(pid, wanted)
        Dir.children("/proc/#{pid}/fd").any? { |fd| wanted.include?(File.readlink("/proc/#{pid}/fd/#{fd}")) }
      rescue SystemCallError # it has exited, or is another user's
        false
      end

      def title(pid)
        File.read("/proc/#{pid}/cmdline")
      rescue SystemCallError
        ""
      end

      def command(pid)
        File.read("/proc/#{pid}/comm").chomp
      rescue SystemCallError
        "exited"
      end
    end

    # Finds the addresses at which a process listens, so that users can tell servers apart. Reads /proc; the answer is
    # best effort and may be empty. Sources: proc(5), proc_pid_net(5).
    module ListeningSockets
      UNIX_ACCEPTS = 0x10000 # in the flags: __SO_ACCEPTCON
      ABSTRACT = "@" # before a name that is no path: the control socket's, at which no client is served

      # In the form of the configuration file. Several queues of one address count once.
      #: (Integer) -> Array[String]
      def self.of(pid)
        inodes = Dir.glob("/proc/#{pid}/fd/*").filter_map { |link| inode(link) }
        (tcp(pid, inodes) + unix(pid, inodes)).uniq
      rescue SystemCallError # it has exited, or is another user's
        []
      end

      def self.inode(link)
        File.readlink(link)[/\Asocket:\[(\d+)\]\z/, 1]
      rescue Errno::ENOENT # it was closed meanwhile
        nil
      end
      private_class_method :inode

      def self.tcp(pid, inodes)
        SocketTable.tcp_listeners(pid: pid).filter_map { |inode, local| address(local) if inodes.include?(inode) }
      end
      private_class_method :tcp

      def self.unix(pid, inodes)
        SocketTable.rows("unix", pid: pid).filter_map do |fields|
          next unless fields[3].to_i(16) & UNIX_ACCEPTS != 0 && inodes.include?(fields[6])

          fields[7..].join(" ") if fields[7] && !fields[7].start_with?(ABSTRACT)
        end
      end
      private_class_method :unix

      # From "0100007F:1F90": words of 32 bits in the machine's byte order, and the port.
      def self.address(text)
        host, port = text.split(":")
        ip = IPAddr.new_ntoh([host].pack("H*").unpack("N*").pack("L*"))
        "#{ip.ipv6? ? "[#{ip}]" : ip}:#{port.to_i(16)}"
      end
      private_class_method :address
    end
  end
end
