# frozen_string_literal: true

require "coppice/board"
require "coppice/errors"
require "coppice/listeners/listening_sockets"
require "coppice/os/process_stat"

module Coppice
  class CLI
    # Finds the server of a command: by its monitor's pid; without one it is the only server that this user runs, or of
    # several the one of the current directory.
    module RunningMonitor
      # The monitor's pid. Raises UsageError for an invalid pid; without a pid Error when none is found, or more than
      # one.
      #: (String?) -> Integer
      def self.pid(text)
        return only_one unless text

        Integer(text, 10, exception: false) or raise UsageError, "#{text} is not a pid"
      end

      # The board of this monitor. Raises Error.
      #: (Integer) -> Board
      def self.board(pid)
        owner = File.stat("/proc/#{pid}").uid
        unless [0, owner].include?(Process.euid)
          raise Error, "process #{pid} is another user's. Run this as that user or as root"
        end

        board = Board.of_process(pid)
        return board unless in_other_namespace?(pid)

        board.close
        raise Error, elsewhere(pid)
      rescue Errno::ENOENT, Errno::ESRCH
        raise Error, "there is no process #{pid}"
      rescue Errno::EACCES
        raise Error, "this user may not read the memory of process #{pid}. Run this as root"
      end

      # Whether /proc has other pids than those on the board, so that it would tell of other processes.
      def self.in_other_namespace?(pid) = File.read("/proc/#{pid}/status").match?(/^NSpid:\s*\d+\s+\d/)
      private_class_method :in_other_namespace?

      def self.elsewhere(pid)
        "process #{pid} is in another pid namespace, such as a container, where the server's processes have other " \
          "pids. Run this there. From outside, coppice status --socket PATH asks its control_socket"
      end
      private_class_method :elsewhere

      # Whether the monitor still runs. One that nobody has reaped yet has exited as well, unless its first thread has
      # exited alone: then it holds its sockets until the others have.
      #: (Integer) -> bool
      def self.running?(pid)
        return true if Dir.children("/proc/#{pid}/task").size > 1

        OS::ProcessStat.of(pid)&.ended? == false
      rescue Errno::ENOENT, Errno::ESRCH
        false
      end

      # The pid of the only one of this user whose release is in one of these folders, the committed one or the next;
      # nil when there is none, or more than one. The folders' inodes are compared: links give a folder several names.
      #: (Array[String], ?among: Array[Integer]) -> Integer?
      def self.running_in(folders, among: all)
        found = among.select { |pid| releases(pid).product(folders).any? { |names| File.identical?(*names) } }
        found.first if found.size == 1
      end

      # A monitor is in the directory of its committed release. The next one is where a deployment has made the symlink
      # lead by now: what is to be rolled there is its server. The path is that of the monitor's own root, since a
      # container may have another directory by this name.
      def self.releases(pid)
        board = Board.of_process(pid)
        name = board.next_release
        ["/proc/#{pid}/cwd", *("/proc/#{pid}/root#{name}" unless name.empty?)]
      rescue Error, SystemCallError # it has exited meanwhile
        []
      ensure
        board&.close
      end
      private_class_method :releases

      def self.only_one
        found = all
        return found.first if found.size == 1
        raise Error, "this user runs no Coppice server. Give the pid of the monitor" if found.empty?

        running_in(["."], among: found) || raise(Error, several(found))
      end
      private_class_method :only_one

      def self.several(pids)
        ["this user runs several Coppice servers, and not exactly one of them in this directory. Give the pid of one:",
         *pids.map { |pid| "  #{described(pid)}" }].join("\n")
      end
      private_class_method :several

      # The pid with the addresses and the folder, by which a user tells servers apart.
      def self.described(pid)
        require "coppice/listeners/address_owners"
        addresses = Listeners::ListeningSockets.of(pid)
        listening = addresses.empty? ? "does not listen" : "on #{addresses.join(' ')}"
        "#{pid}  #{listening}, runs in #{File.readlink("/proc/#{pid}/cwd")}"
      rescue SystemCallError # it has exited meanwhile
        "#{pid}  has exited"
      end
      private_class_method :described

      # Pids of this user's monitors. Children map the board as well, but it has the pid of its monitor.
      #: () -> Array[Integer]
      def self.all
        Dir.children("/proc").grep(/\A\d+\z/).map(&:to_i).sort.select { |pid| own?(pid) && monitor?(pid) }
      end

      def self.own?(pid)
        File.stat("/proc/#{pid}").uid == Process.euid
      rescue Errno::ENOENT, Errno::ESRCH
        false
      end
      private_class_method :own?

      def self.monitor?(pid)
        board = Board.of_process(pid)
        board.monitor_pid == pid
      rescue Error, SystemCallError # no board, a board of another version, or the process has exited or is protected
        false
      ensure
        board&.close
      end
      private_class_method :monitor?
    end
  end
end
