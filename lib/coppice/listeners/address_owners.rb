# frozen_string_literal: true

require "coppice/listeners/socket_table"
require "coppice/os/proc_folder"

module Coppice
  module Listeners
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

        OS::ProcFolder.pids.select { |pid| owns?(pid, wanted) }
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
        SocketTable.rows("unix").filter_map { |fields| fields[6] if fields[7..]&.join(" ") == @address.path.b }
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
  end
end
