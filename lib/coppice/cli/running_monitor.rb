# frozen_string_literal: true

require "coppice/board"
require "coppice/config/arguments"
require "coppice/errors"
require "coppice/listeners/address_owners"

module Coppice
  class CLI
    # Finds the server that a command is about: by its monitor's pid, or the only one that this user runs.
    module RunningMonitor
      # The monitor's pid. Raises UsageError for a word that is no pid, Error when there is no such server, or without
      # a pid when there are several.
      #: (String?) -> Integer
      def self.pid(word)
        return only_one unless word

        Integer(word, 10, exception: false) or raise UsageError, "#{word} is no pid"
      end

      # Its board. Raises Error.
      #: (Integer) -> Board
      def self.board(pid)
        owner = File.stat("/proc/#{pid}").uid
        raise Error, "process #{pid} is another user's. Run this as that user or as root" unless [0, owner].include?(Process.euid)

        Board.of_process(pid)
      rescue Errno::ENOENT
        raise Error, "there is no process #{pid}"
      rescue Errno::EACCES
        raise Error, "the kernel does not let this user look into process #{pid}. Run this as root"
      end

      def self.only_one
        found = all
        return found.first if found.size == 1
        raise Error, "this user runs no Coppice. Give the pid of the monitor" if found.empty?

        raise Error, ["this user runs several. Give the pid of one:", *found.map { |pid| "  #{described(pid)}" }].join("\n")
      end
      private_class_method :only_one

      # A pid alone says nothing to people.
      def self.described(pid)
        addresses = Listeners::ListeningSockets.of(pid)
        "#{pid}  #{addresses.empty? ? 'does not listen' : "on #{addresses.join(' ')}"}, started in #{File.readlink("/proc/#{pid}/cwd")}"
      rescue SystemCallError # it has ended meanwhile
        "#{pid}  has ended"
      end
      private_class_method :described

      # Pids of this user's monitors. Other processes have the board as well, but only a monitor is named on it.
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
      rescue Error, SystemCallError # no board, one of another version, or the process is gone or guarded
        false
      ensure
        board&.close
      end
      private_class_method :monitor?
    end

    # The words after a command that is about a running server: at most one pid, and flags of the command's own.
    module ServerArguments
      # Yields the parser, for the flags. Answers the word that stands for the pid, or nil. Raises UsageError.
      #: (Array[String]) { (OptionParser) -> void } -> String?
      def self.parse(words, &flags)
        parser = Config::FlagParser.new(&flags)
        pids = parser.permute(words)
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
