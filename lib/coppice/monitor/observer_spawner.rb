# frozen_string_literal: true

require "coppice/control/memory_file"
require "coppice/control/messages"

module Coppice
  class Monitor
    # Spawns the observer. Owns the listeners of `admin_listen`, which stay open while one observer replaces another.
    class ObserverSpawner
      #: (settings: Config::Settings, board: Board, listeners: Listeners::Set, system: System) -> void
      def initialize(settings:, board:, listeners:, system:)
        @settings = settings
        @board = board
        @listeners = listeners
        @system = system
      end

      # From now on clients can connect. Raises AddressInUse.
      #: () -> void
      def open = @listeners.listen!

      # Returns the pid. The observer inherits the channel's end.
      #: (Control::Channel) -> Integer
      def spawn(channel) = @system.spawn_observer(channel, own_group: @settings.setpgid)

      # The first message. The observer gets a descriptor of the board by which it cannot be written to.
      #: (Handle) -> void
      def introduce(observer)
        message = Control::Messages::Observe.new(protocol: Control::PROTOCOL, hook: !@settings.hook(:on_stats).nil?)
        listeners = @listeners.descriptors.map { |descriptor| IO.for_fd(descriptor, autoclose: false) }
        File.open("/proc/self/fd/#{@board.fileno}", "r") do |board|
          observer.channel.send(message, descriptors: { board: board, settings: settings_file, listeners: listeners })
        end
      end

      #: () -> void
      def close = @listeners.close

      private

      def settings_file
        @settings_file ||= Control::MemoryFile.write(@settings.to_wire, name: "coppice-settings")
      end
    end
  end
end
