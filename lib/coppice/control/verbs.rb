# frozen_string_literal: true

require_relative "argument"
require_relative "verb"

module Coppice
  # What the monitor and a running server's other processes, and its users, say to each other.
  module Control
    # As the verbs of a running server know them; the configuration has a catalogue of its own.
    LOG_LEVELS = %w[debug info warn error fatal].freeze
    WORKERS = (1..1024).freeze
    SERVICE_NAME = /\A[a-z][a-z0-9_-]{0,30}\z/i.freeze

    # The only list of verbs. The monitor's class ControlCommands has a method for each without a role; the commands of
    # `coppice`, their help, docs/operations.md and the shell completion are made from it. The launcher reads this file
    # before the application's bundle is set up, by its path: so it requires nothing but the classes of its rows.
    VERBS = [
      Verb.new(name: "status", arguments: [], changes: false, seconds: 5,
        summary: "show the server and each process"),
      Verb.new(name: "refork", changes: true, seconds: 120, signal: "USR2",
        arguments: [Argument.new(usage: "--wait", optional: true, unlimited: true,
                      doc: "wait until no worker of another generation is left")],
        summary: "replace all workers by copies of the warmest one"),
      Verb.new(name: "roll", changes: true, asked_by: true, seconds: nil, signal: "USR1",
        arguments: [Argument.new(usage: "DIR", path: true, optional: true),
                    Argument.new(usage: "--force", optional: true,
                      doc: "roll even if memory for a second application is short")],
        summary: "switch to the release in DIR, or in the server's directory"),
      Verb.new(name: "rollback", arguments: [], changes: true, asked_by: true, seconds: nil,
        summary: "give up a roll, or return to the release before"),
      Verb.new(name: "workers", changes: true, seconds: 5, signal: "TTIN, TTOU",
        arguments: [Argument.new(usage: "N", range: WORKERS, words: %w[configured])],
        summary: "set the number of workers, or follow the configuration again"),
      Verb.new(name: "recycle", arguments: [Argument.new(usage: "NR", range: (0..))], changes: true, seconds: 120,
        summary: "replace worker NR by a fresh fork of the mold"),
      Verb.new(name: "stop", changes: true, seconds: nil, signal: "TERM; with --now INT",
        arguments: [Argument.new(usage: "--now", optional: true,
                      doc: "end all processes at once, with their requests")],
        summary: "stop gracefully, or at once with --now"),
      Verb.new(name: "log-level", arguments: [Argument.new(usage: "LEVEL", words: LOG_LEVELS)], changes: true,
        seconds: 5, summary: "log this level and above, in all processes"),
      Verb.new(name: "reopen-logs", arguments: [], changes: true, seconds: 15,
        summary: "reopen log files after a rotation, in all processes"),
      Verb.new(name: "backtrace", changes: false, seconds: 10,
        arguments: [Argument.new(usage: "NR", range: (0..), words: %w[mold service],
                                 pattern: SERVICE_NAME, other: "the name of a service")],
        summary: "show the threads and the request of a worker, the mold or a service"),
      Verb.new(name: "run", arguments: [], changes: true, seconds: nil, descriptors: %i[stdin stdout stderr request],
        role: :guest,
        summary: "run a Ruby program in a fork of the warm application")
    ].to_h { |verb| [verb.name, verb.freeze] }.freeze

    # The name of the class of CLI that runs a verb: LogLevelCommand.
    #: (Verb) -> String
    def self.command_class(verb) = "#{verb.name.split('-').map(&:capitalize).join}Command"
  end
end
