# frozen_string_literal: true

require "ipaddr"
require "coppice/listeners/socket_table"

module Coppice
  module Listeners
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
        File.readlink(link).b[/\Asocket:\[(\d+)\]\z/, 1]
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

          path = fields[7..].join(" ")
          path.force_encoding(Encoding.default_external).scrub unless path.empty? || path.start_with?(ABSTRACT)
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
