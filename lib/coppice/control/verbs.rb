# frozen_string_literal: true

module Coppice
  # What the monitor and a running server's other processes, and its users, say to each other.
  module Control
    # One word after a verb. words: all that it can be, for one of a few; else nil. range: of a whole number.
    # pattern: of other words, whose meaning is `other`. path: whether it is a path, see PathWord.
    Argument = Struct.new(:usage, :range, :words, :pattern, :other, :optional, :path, keyword_init: true) do
      # The value of a word. Raises UsageError.
      #: (String) -> (Integer | String)
      def read(word)
        return word if words&.include?(word)
        return PathWord.decode(word) if path

        number = Integer(word, 10, exception: false) if range
        return number if number && range.cover?(number)
        return word if pattern&.match?(word)

        raise UsageError, "#{usage} is #{description}, not #{word.scrub('?')[0, 40].inspect}"
      end

      #: () -> String
      def description = [number, *words, other].compact.join(", ")

      #: () -> String
      def in_usage = optional ? "[#{usage}]" : usage

      private

      def number = ("a whole number from #{range.begin}#{" to #{range.end}" if range.end}" if range)
    end

    # A path as one word: a percent sign, spaces and control characters are percent-encoded.
    module PathWord
      #: (String) -> String
      def self.encode(path) = path.b.gsub(/[%\x00-\x20\x7f]/n) { |byte| format("%%%02X", byte.ord) }

      # Raises UsageError.
      #: (String) -> String
      def self.decode(word)
        path = word.b.gsub(/%(\h\h)/) { $1.hex.chr }.force_encoding(Encoding::UTF_8)
        raise UsageError, "a path is absolute, and has no NUL byte" if !path.start_with?("/") || path.include?("\0")

        path
      end
    end

    # One thing that the monitor can be told or asked through its control socket.
    #
    #   summary  what it does, for help and docs
    #   changes  whether it changes something
    #   seconds  how long a client may have to wait for the last line of the answer
    #   signal   the signals to the monitor that do the same
    #   asked_by  whether it matters who says it
    #   descriptors  names of those that come with the line; nil where there are none
    Verb = Struct.new(:name, :arguments, :summary, :changes, :seconds, :signal, :asked_by, :descriptors,
      keyword_init: true) do
      # The values of the words after the verb. Raises UsageError.
      #: (Array[String]) -> Array[Integer | String]
      def read(words)
        minimum = arguments.count { |argument| !argument.optional }
        raise UsageError, "usage: #{usage}" unless words.size.between?(minimum, arguments.size)

        flags, others = words.partition { |word| switches.include?(word) }
        others.zip(arguments).map { |word, argument| argument.read(word) } + flags
      end

      #: () -> String
      def usage = [name, *arguments.map(&:in_usage)].join(" ")

      # The arguments that are flags.
      #: () -> Array[String]
      def switches = arguments.map(&:usage).grep(/\A--/)

      # The summary, with the arguments that the name alone does not say.
      #: () -> String
      def help = [summary, *(": #{arguments.map(&:in_usage).join(' ')}" unless arguments.empty?)].join
    end

    # As the verbs of a running server know them; the configuration has a catalogue of its own.
    LOG_LEVELS = %w[debug info warn error fatal].freeze
    WORKERS = (1..1024).freeze
    SERVICE_NAME = /\A[a-z][a-z0-9_-]{0,30}\z/i.freeze

    # The only list of verbs. The monitor's class ControlCommands has a method for each; the commands of `coppice`,
    # their help, docs/operations.md and the shell completion are made from it. This file requires nothing: the launcher
    # reads it before the application's bundle is set up.
    VERBS = [
      Verb.new(name: "status", arguments: [], changes: false, seconds: 5,
        summary: "show the state of the server and of each process"),
      Verb.new(name: "refork", arguments: [], changes: true, seconds: 120, signal: "USR2",
        summary: "promote the warmest worker and replace all workers by its copies; wait for the commit"),
      Verb.new(name: "roll", changes: true, asked_by: true, seconds: nil, signal: "USR1",
        arguments: [Argument.new(usage: "DIR", path: true, optional: true),
                    Argument.new(usage: "--force", words: %w[--force], optional: true)],
        summary: "bring the release in DIR, or in the server's directory, without a restart; wait until it is decided"),
      Verb.new(name: "rollback", arguments: [], changes: true, asked_by: true, seconds: nil,
        summary: "give up a roll that is under way, or go back to the release before; wait until that is decided"),
      Verb.new(name: "workers", arguments: [Argument.new(usage: "N", range: WORKERS)], changes: true, seconds: 5,
        signal: "TTIN, TTOU", summary: "change the number of workers to N"),
      Verb.new(name: "recycle", arguments: [Argument.new(usage: "NR", range: (0..))], changes: true, seconds: 120,
        summary: "replace worker NR by a fresh fork of the mold; wait until that is done"),
      Verb.new(name: "stop", arguments: [Argument.new(usage: "--now", words: %w[--now], optional: true)], changes: true,
        seconds: nil, signal: "TERM; with --now INT",
        summary: "stop gracefully, or with --now at once; wait until the server has exited"),
      Verb.new(name: "log-level", arguments: [Argument.new(usage: "LEVEL", words: LOG_LEVELS)], changes: true,
        seconds: 5, summary: "log lines from this level on, in all processes"),
      Verb.new(name: "reopen-logs", arguments: [], changes: true, seconds: 15,
        summary: "open log files anew after a rotation, in all processes"),
      Verb.new(name: "backtrace", changes: false, seconds: 10,
        arguments: [Argument.new(usage: "NR", range: (0..), words: %w[mold service],
                                 pattern: SERVICE_NAME, other: "the name of a service")],
        summary: "show the threads of a worker, the mold or a service, and the request in flight"),
      Verb.new(name: "run", arguments: [], changes: true, seconds: nil, descriptors: %i[stdin stdout stderr request],
        summary: "run a Ruby program in a fork of the warm application, in a terminal: docs/guests.md")
    ].to_h { |verb| [verb.name, verb.freeze] }.freeze

    # The name of the class of CLI that runs a verb: LogLevelCommand.
    #: (Verb) -> String
    def self.command_class(verb) = "#{verb.name.split('-').map(&:capitalize).join}Command"
  end
end
