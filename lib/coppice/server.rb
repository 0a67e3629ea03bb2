# frozen_string_literal: true

module Coppice
  # What a hook gets as its first argument, in every process: the logger and the settings, under the names of the
  # configuration.
  class Server
    attr_reader :logger         #: untyped -- the user's own, or ours
    attr_reader :settings       #: Config::Settings
    attr_reader :listener_names #: Array[String]

    #: (settings: Config::Settings, log: Log, listener_names: Array[String]) -> void
    def initialize(settings:, log:, listener_names:)
      @settings = settings
      @logger = settings.logger || log
      @listener_names = listener_names
    end

    # The same with another log, unless the user has given a logger.
    #: (Log) -> Server
    def with_log(log) = Server.new(settings: settings, log: log, listener_names: listener_names)

    # Each option has a reader here, as it has in the settings.
    def method_missing(name, *arguments)
      return super unless arguments.empty? && respond_to_missing?(name)

      settings.public_send(name)
    end

    def respond_to_missing?(name, _include_private = false)
      Config::OPTIONS.any? { |option| option.name == name } || super
    end
  end
end
