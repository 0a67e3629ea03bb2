# frozen_string_literal: true

require "coppice/control/memory_file"
require "coppice/control/messages"
require "coppice/mold_environment"

module Coppice
  class Monitor
    # Spawns cold molds: fresh Ruby processes that boot a release of the application.
    class MoldSpawner
      # A process that loads Ruby, the bundle and Coppice, then waits to be introduced. channel: our end of it. to_log:
      # fields of a log line.
      Spawned = Struct.new(:release, :channel, :pid, :to_log)

      #: (system: System, knowledge: Knowledge, log: Log) -> void
      def initialize(system:, knowledge:, log:)
        @system = system
        @knowledge = knowledge
        @log = log
      end

      # Whether to boot once more when a warm-up has measured what requests allocate.
      #: (Release) -> bool
      def worth_fitting?(release)
        settings = release.settings
        settings.gc_profile_wait && settings.warm_up? && settings.keeps_measurement? &&
          new_environment(release).unmeasured?
      end

      # While it loads, so does the code of the monitor that calls this.
      #: (Release) -> void
      def spawn_ahead(release) = @ahead = spawn(release)

      # The caller owns the channel.
      #: (Release) -> Spawned
      def spawn(release)
        return @ahead.tap { @ahead = nil } if @ahead&.release == release

        ours, theirs = @system.channel_pair
        environment = mold_environment(release)
        pid = @system.spawn_mold(theirs, release, added: environment.added)
        Spawned.new(release, ours, pid, environment.to_log)
      ensure
        theirs&.close
        ours&.close unless pid
      end

      # The first message to a cold mold. The descriptors of the board and of the settings travel beside it.
      #: (Handle, board: Board, port: ServingPort) -> void
      def introduce(mold, board:, port:)
        message = Control::Messages::Boot.new(protocol: Control::PROTOCOL, generation: mold.generation,
                                              row: mold.row.index, listener_names: port.names,
                                              listener_options: port.listener_options)
        board = IO.for_fd(board.fileno, autoclose: false)
        settings = Control::MemoryFile.write(mold.release.settings.to_wire, name: "coppice-settings")
        mold.channel.send(message, descriptors: { board: board, settings: settings })
      ensure
        settings&.close
      end

      # A process that was spawned ahead, and that nobody has asked for, exits.
      #: () -> void
      def close = @ahead&.channel&.close

      private

      # Made anew for each mold, so that a profile written meanwhile counts. An invalid one ends the server only at its
      # start.
      def mold_environment(release)
        @mold_environment = new_environment(release)
      rescue ConfigError => error
        raise unless @mold_environment

        @log.error("the environment of molds stays as it was", error: error.message)
        @mold_environment
      end

      def new_environment(release)
        known = @knowledge.fitted
        MoldEnvironment.new(release.settings, environment: release.environment, directory: release.directory,
                                              fitted: known&.variables, origin: known&.origin)
      end
    end
  end
end
