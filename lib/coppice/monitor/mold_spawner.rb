# frozen_string_literal: true

require "coppice/control/memory_file"
require "coppice/control/messages"
require "coppice/gc_profile/fit"
require "coppice/gc_profile/allocations"
require "coppice/mold_environment"

module Coppice
  class Monitor
    # Spawns cold molds: fresh Ruby processes that boot the application. Owns the settings as they travel to a mold, and
    # what is known of the parameters that fit the application's garbage collection.
    class MoldSpawner
      #: (settings: Config::Settings, board: Board, port: ServingPort, system: System, log: Log) -> void
      def initialize(settings:, board:, port:, system:, log:)
        @settings = settings
        @board = board
        @port = port
        @system = system
        @log = log
        @settings_file = Control::MemoryFile.write(settings.to_wire, name: "coppice-settings")
      end

      # Whether to boot once more when a warm-up has measured what requests allocate.
      #: () -> bool
      def worth_fitting? = @settings.warm_up? && !@settings.development? && MoldEnvironment.new(@settings).unmeasured?

      # Answers the pid, and the fields of a log line. The mold inherits the channel's end.
      #: (Control::Channel) -> [Integer, Hash[Symbol, untyped]]
      def spawn(channel)
        environment = mold_environment
        [@system.spawn_mold(channel, own_group: @settings.setpgid, environment: environment.added), environment.to_log]
      end

      # The first message to a cold mold. The descriptors of the board and of the settings travel beside it.
      #: (Handle) -> void
      def introduce(mold)
        message = Control::Messages::Boot.new(protocol: Control::PROTOCOL, generation: mold.generation,
                                              row: mold.row.index, listener_names: @port.names,
                                              borrowed_queues: @port.any_borrowed?)
        board = IO.for_fd(@board.fileno, autoclose: false)
        mold.channel.send(message, descriptors: { board: board, settings: @settings_file })
      end

      # For the molds spawned from now on: parameters that fit what a worker has measured.
      #: (String) -> void
      def fit(allocations)
        fit = GCProfile::Fit.new(GCProfile::Allocations.parse(allocations))
        @fitted = fit.variables
        @log.info("fitted the garbage collector, and boot once more; `coppice profile` keeps it for the next start",
                  measured: allocations, requests_per_collection: fit.requests_per_collection)
      rescue ArgumentError => error # the application shares memory with the row
        @log.error("a worker's measurement cannot be read", error: error.message)
      end

      private

      # Made anew for each mold, so that a profile written meanwhile counts. An invalid one ends the server only at its
      # start.
      def mold_environment
        @mold_environment = MoldEnvironment.new(@settings, fitted: @fitted)
      rescue ConfigError => error
        raise unless @mold_environment

        @log.error("the environment of molds stays as it was", error: error.message)
        @mold_environment
      end
    end
  end
end
