# frozen_string_literal: true

require "coppice/control/memory_file"
require "coppice/control/messages"
require "coppice/mold_environment"

module Coppice
  class Monitor
    # Spawns cold molds: fresh Ruby processes that boot a release of the application.
    class MoldSpawner
      #: (board: Board, port: ServingPort, system: System, knowledge: Knowledge, log: Log) -> void
      def initialize(board:, port:, system:, knowledge:, log:)
        @board = board
        @port = port
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

      # Returns the pid, and the fields of a log line. The mold inherits the channel's end.
      #: (Control::Channel, Release) -> [Integer, Hash[Symbol, untyped]]
      def spawn(channel, release)
        environment = mold_environment(release)
        [@system.spawn_mold(channel, release, added: environment.added), environment.to_log]
      end

      # The first message to a cold mold. The descriptors of the board and of the settings travel beside it.
      #: (Handle) -> void
      def introduce(mold)
        message = Control::Messages::Boot.new(protocol: Control::PROTOCOL, generation: mold.generation,
                                              row: mold.row.index, listener_names: @port.names,
                                              listener_options: @port.listener_options)
        board = IO.for_fd(@board.fileno, autoclose: false)
        settings = Control::MemoryFile.write(mold.release.settings.to_wire, name: "coppice-settings")
        mold.channel.send(message, descriptors: { board: board, settings: settings })
      ensure
        settings&.close
      end

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
