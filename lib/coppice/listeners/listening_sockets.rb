# frozen_string_literal: true

require "ipaddr"

module Coppice
  module Listeners
    # Where another process listens, for people who tell servers apart. Reads /proc, where that is allowed; the answer is a
    # courtesy and may be empty. Sources: proc(5), proc_pid_net(5).
    module ListeningSockets
      TCP_LISTENS = "0A"
      UNIX_ACCEPTS = 0x10000 # in the flags: __SO_ACCEPTCON

      # In the form in which one writes them in the configuration; several queues of one address are one.
      #: (Integer) -> Array[String]
      def self.of(pid)
        inodes = Dir.glob("/proc/#{pid}/fd/*").filter_map { |link| inode(link) }
        (tcp(pid, inodes) + unix(pid, inodes)).uniq
      rescue SystemCallError # it has ended, or is not ours to look at
        []
      end

      def self.inode(link)
        File.readlink(link)[/\Asocket:\[(\d+)\]\z/, 1]
      rescue Errno::ENOENT # it was closed while we looked
        nil
      end
      private_class_method :inode

      def self.tcp(pid, inodes)
        %w[tcp tcp6].flat_map { |name| table(pid, name) }.filter_map do |_, local, _, state, *rest|
          address(local) if state == TCP_LISTENS && inodes.include?(rest[5])
        end
      end
      private_class_method :tcp

      def self.unix(pid, inodes)
        table(pid, "unix").filter_map do |fields|
          fields[7..].join(" ") if fields[3].to_i(16) & UNIX_ACCEPTS != 0 && inodes.include?(fields[6]) && fields[7]
        end
      end
      private_class_method :unix

      # As the network has it that the process is in: without the line of titles, and a kernel may lack IPv6.
      def self.table(pid, name)
        file = "/proc/#{pid}/net/#{name}"
        File.exist?(file) ? File.readlines(file).drop(1).map(&:split) : []
      end
      private_class_method :table

      # "0100007F:1F90": words of 32 bits in the machine's order, and the port.
      def self.address(text)
        host, port = text.split(":")
        ip = IPAddr.new_ntoh([host].pack("H*").unpack("N*").pack("L*"))
        "#{ip.ipv6? ? "[#{ip}]" : ip}:#{port.to_i(16)}"
      end
      private_class_method :address
    end
  end
end
