# frozen_string_literal: true

require "coppice/board"
require "coppice/config/arguments"
require "coppice/errors"
require "coppice/listeners/address_owners"

module Coppice
  class CLI
    # Finds the server of a command: by its monitor's pid, or the only server that this user runs.
    module RunningMonitor
      # The monitor's pid. Raises UsageError for an invalid pid; without a pid Error when this user runs no server, or
      # more than one.
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

        Board.of_process(pid)
      rescue Errno::ENOENT
        raise Error, "there is no process #{pid}"
      rescue Errno::EACCES
        raise Error, "this user may not read the memory of process #{pid}. Run this as root"
      end

      def self.only_one
        found = all
        return found.first if found.size == 1
        raise Error, "this user runs no Coppice server. Give the pid of the monitor" if found.empty?

        servers = found.map { |pid| "  #{described(pid)}" }
        raise Error, ["this user runs several Coppice servers. Give the pid of one:", *servers].join("\n")
      end
      private_class_method :only_one

      # The pid with the addresses and the folder, by which a user tells servers apart.
      def self.described(pid)
        addresses = Listeners::ListeningSockets.of(pid)
        listening = addresses.empty? ? "does not listen" : "on #{addresses.join(' ')}"
        "#{pid}  #{listening}, started in #{File.readlink("/proc/#{pid}/cwd")}"
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

    # The arguments of a command for a running server: at most one pid, and the command's own flags.
    module ServerArguments
      # Yields the parser, for the flags. Answers the text of the pid, or nil. Raises UsageError.
      #: (Array[String]) { (OptionParser) -> void } -> String?
      def self.parse(arguments, &flags)
        parser = Config::FlagParser.new(&flags)
        pids = parser.permute(arguments)
        raise UsageError, "one pid is enough, but there are #{pids.size}: #{pids.join(' ')}" if pids.size > 1

        pids.first
      rescue OptionParser::InvalidOption => error
        raise UsageError, parser.unknown_flag(error.args.first)
      rescue OptionParser::ParseError => error
        raise UsageError, error.message
      end
    end
  end
end
