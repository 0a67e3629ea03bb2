# frozen_string_literal: true

require "coppice/control/memory_file"
require "coppice/control/messages"

module Coppice
  class Monitor
    # Spawns the observer. Owns the listeners of `admin_listen`, which stay open while one observer replaces another.
    class ObserverSpawner
      #: (board: Board, listeners: Listeners::Set, system: System) -> void
      def initialize(board:, listeners:, system:)
        @board = board
        @listeners = listeners
        @system = system
      end

      # From now on clients can connect. Raises AddressInUse.
      #: () -> void
      def open = @listeners.listen!

      # Returns the pid. The observer inherits the channel's end.
      #: (Control::Channel, Release) -> Integer
      def spawn(channel, release) = @system.spawn_observer(channel, release)

      # The first message. The observer calls the hook of this release.
      #: (Handle, Release) -> void
      def introduce(observer, release)
        hook = !release.settings.hook(:on_stats).nil?
        message = Control::Messages::Observe.new(protocol: Control::PROTOCOL, hook: hook)
        settings = Control::MemoryFile.write(settings_of(release).to_wire, name: "coppice-settings")
        listeners = @listeners.descriptors.map { |descriptor| IO.for_fd(descriptor, autoclose: false) }
        board = board_to_read
        observer.channel.send(message, descriptors: { board: board, settings: settings, listeners: listeners })
      ensure
        board&.close
        settings&.close
      end

      #: () -> void
      def close = @listeners.close

      private

      # A descriptor by which the board cannot be written to. It is opened by its name in /proc: where that is not
      # possible the observer gets a copy of the monitor's, and maps it to read only.
      def board_to_read
        File.open("/proc/self/fd/#{@board.fileno}", "r")
      rescue SystemCallError
        IO.for_fd(@board.fileno, autoclose: false).dup
      end

      # The observer begins in the monitor's directory, which a hook of the monitor may have changed.
      def settings_of(release)
        settings = release.settings
        file = settings.config_file or return settings
        settings.with_files(rackup: settings.rackup, config_file: File.expand_path(file, release.directory))
      end
    end
  end
end
