# frozen_string_literal: true

require "coppice/config/options"

module Coppice
  # The first argument of every hook, which users call `server`: the logger, the listeners' names, and a reader for each
  # option of the configuration.
  class HookContext
    attr_reader :logger         #: untyped -- the user's own, or ours
    attr_reader :settings       #: Config::Settings
    attr_reader :listener_names #: Array[String]

    (Config::OPTIONS.names - %i[logger]).each do |name|
      define_method(name) { settings.public_send(name) }
    end

    #: (settings: Config::Settings, log: Log, listener_names: Array[String]) -> void
    def initialize(settings:, log:, listener_names:)
      @settings = settings
      @log = log
      @logger = settings.logger || log
      @listener_names = listener_names
    end

    # A copy that logs to another log, unless the user has given a logger.
    #: (Log) -> HookContext
    def with_log(log) = HookContext.new(settings: settings, log: log, listener_names: listener_names)

    # A copy with the settings of another release.
    #: (Config::Settings) -> HookContext
    def with_settings(settings) = HookContext.new(settings: settings, log: @log, listener_names: listener_names)
  end
end
