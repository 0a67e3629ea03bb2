# frozen_string_literal: true

require "coppice"
require "coppice/config/hooks"
require "coppice/single"
require "coppice/threaded_server"

module Coppice
  class Single
    # Logs what the configuration asks for, and one process does not have: for `coppice single`, and for `rackup` and
    # `rails server` in development.
    class Warnings
      #: (Config::Settings, Log) -> void
      def initialize(settings, log)
        @settings = settings
        @log = log
      end

      #: () -> void
      def call
        @settings.notes.each { |note| @log.warn("questionable configuration", why: note) }
        @log.warn("admin_listen and on_stats have no effect without worker processes") if @settings.observed?
        services = @settings.services.filter_map(&:name)
        @log.warn("services are not run without worker processes", services: services.join(" ")) if services.any?
        level = @settings.single? ? :warn : :info # in development they have nothing to do
        @log.public_send(level, "hooks are not called without worker processes", hooks: hooks.join(" ")) if hooks.any?
        return if @settings.single? || OS.supervises?

        @log.warn("serving with one process, #{ThreadedServer::THREADS} threads: worker processes need Linux",
          worker_processes: @settings.worker_processes)
      end

      private

      # Hooks of the configuration that are never called; on_stats has a warning of its own.
      def hooks = (Config::HOOKS.names - HOOKS - %i[on_stats]).select { |name| @settings.hook(name) }
    end
  end
end
