# frozen_string_literal: true

require "socket"
require "coppice/errors"
require "coppice/os/proc_folder"

module Coppice
  module Control
    # Where a monitor's control socket is, and who is at the other end of it.
    #
    # By default the socket has an abstract name: it has no file, so nothing has to be configured and nothing stale is
    # left. Abstract names belong to a network namespace. The containers of one pod share theirs, and the monitor of
    # each may have pid 1, so the name has the inode of the pid namespace as well as the pid in it.
    module Endpoint
      # Pid and uid of the process at the other end, as the kernel translates them for the caller: a process in a
      # pid namespace that the caller cannot see has pid 0.
      Peer = Struct.new(:pid, :uid) do
        # Whether it runs as root, or as the same user as the caller.
        #: () -> bool
        def allowed? = [0, Process.euid].include?(uid)
      end

      # The address of this monitor's socket, for connect(2) or bind(2). pid: as the caller's pid namespace has it.
      # Raises Error when there is no such process, or the caller may not look into it, or there is no /proc.
      #: (Integer) -> Addrinfo
      def self.of(pid)
        Addrinfo.unix("\0coppice-#{File.stat("/proc/#{pid}/ns/pid").ino}-#{pid_in_own_namespace(pid)}")
      rescue Errno::ENOENT, Errno::ESRCH
        raise Error, OS::ProcFolder.exist? ? "there is no process #{pid}" : "there is no /proc"
      rescue Errno::EACCES
        raise Error, "only the user and the group of process #{pid} may look into it, and in a user namespace of its " \
                     "own only root. Run this as both, as root, or with --socket PATH of its control_socket"
      end

      # The last one is the pid in the innermost namespace.
      def self.pid_in_own_namespace(pid)
        File.read("/proc/#{pid}/status")[/^NSpid:.*?(\d+)$/, 1] || pid
      end
      private_class_method :pid_in_own_namespace

      # Who had connected, or called listen(2).
      #: (BasicSocket) -> Peer
      def self.peer(socket) = Peer.new(*socket.getsockopt(:SOCKET, :PEERCRED).data.unpack("iI"))

      # As people write it: "@name" for an abstract one.
      #: (Addrinfo) -> String
      def self.name(address) = address.unix_path.sub(/\A\0/, "@")
    end
  end
end
