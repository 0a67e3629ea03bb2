# frozen_string_literal: true

require "coppice/board"
require "coppice/errors"
require "coppice/listeners/listening_sockets"
require "coppice/os/proc_folder"
require "coppice/os/process_stat"
require "coppice/roles"

module Coppice
  class CLI
    # Finds the server of a command: by its monitor's pid; without one it is the only server that this user runs, or of
    # several the one of the current directory.
    module RunningMonitor
      # The monitor's pid. Raises UsageError for an invalid pid; without a pid Error when none is found, or more than
      # one. to_roll: the server gets another release.
      #: (String?, ?to_roll: bool) -> Integer
      def self.pid(text, to_roll: false)
        return only_one(to_roll) unless text

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
        raise Error, "this user may not read the memory of process #{pid}. Run this with its group as well, or as root"
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

      # The pid of this user's only one that runs in one of these folders; nil when there is none, or more than one. The
      # folders' inodes are compared: links give a folder several names.
      #: (Array[String]) -> Integer?
      def self.running_in(folders)
        found = in_folders(all, folders)
        found.first if found.size == 1
      end

      # The pid of the one of these that a user in this directory means; nil when there is none, or more than one. That
      # is the one that runs here, otherwise the one whose symlink leads here by now. A roll may mean either: after a
      # deployment its user is in the directory of the next release, where another server may run.
      #: (Array[Integer], ?to_roll: bool) -> Integer?
      def self.meant(pids, to_roll: false)
        found = in_folders(pids, ["."])
        found |= pids.select { |pid| next_release_here?(pid) } if to_roll || found.empty?
        found.first if found.size == 1
      end

      def self.in_folders(pids, folders)
        pids.select { |pid| folders.any? { |folder| File.identical?("/proc/#{pid}/cwd", folder) } }
      end
      private_class_method :in_folders

      # Whether the name of the monitor's next release leads to this directory. In a container with a root of its own
      # the same name may lead elsewhere.
      def self.next_release_here?(pid)
        board = Board.of_process(pid)
        File.identical?("/proc/#{pid}/root", "/") && File.identical?(board.next_release, ".")
      rescue Error, SystemCallError # it has exited meanwhile
        false
      ensure
        board&.close
      end
      private_class_method :next_release_here?

      def self.only_one(to_roll)
        found = all
        return found.first if found.size == 1
        raise Error, none_found if found.empty?

        meant(found, to_roll: to_roll) || raise(Error, several(found))
      end
      private_class_method :only_one

      # The message where this user runs none. Root may use the server of any user, but has to name it.
      #: () -> String
      def self.none_found
        hidden = OS::ProcFolder.pids.find { |pid| hidden_monitor?(pid) }
        return hidden_found(hidden) if hidden

        others = Process.euid.zero? ? OS::ProcFolder.pids.select { |pid| monitor?(pid) } : []
        return "this user runs no Coppice server. Name the monitor with --pid" if others.empty?

        ["this user runs no Coppice server. Name another user's with --pid:",
         *others.map { |pid| "  #{described(pid)}, as user #{uid(pid)}" }].join("\n")
      end

      # Whether it is this user's, by its title: Linux lets only root look into a process of another group.
      def self.hidden_monitor?(pid)
        return false unless uid(pid) == Process.euid
        return false unless File.read("/proc/#{pid}/cmdline").start_with?(Roles::MONITOR_TITLE)

        File.stat("/proc/#{pid}/ns/pid")
        false
      rescue Errno::EACCES
        true
      rescue SystemCallError # it has exited meanwhile
        false
      end
      private_class_method :hidden_monitor?

      def self.hidden_found(pid)
        gid = File.read("/proc/#{pid}/status")[/^Gid:\s+(\d+)/, 1].to_i
        obstacle = gid == Process.egid ? "is in a user namespace of its own" : "has another group (#{gid})"
        remedy = "with that group, " unless gid == Process.egid
        "this user's server, process #{pid}, #{obstacle}, so this user may not look into it. Run this #{remedy}as " \
          "root, or with --socket PATH of its control_socket"
      end
      private_class_method :hidden_found

      def self.several(pids)
        ["this user runs several Coppice servers, and not exactly one of them in this directory. Name one with --pid:",
         *pids.map { |pid| "  #{described(pid)}" }].join("\n")
      end
      private_class_method :several

      # The pid with the addresses and the folder, by which a user tells servers apart.
      def self.described(pid)
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
        OS::ProcFolder.pids.select { |pid| uid(pid) == Process.euid && monitor?(pid) }
      end

      # Nil when it has exited.
      def self.uid(pid)
        File.stat("/proc/#{pid}").uid
      rescue Errno::ENOENT, Errno::ESRCH
        nil
      end
      private_class_method :uid

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
