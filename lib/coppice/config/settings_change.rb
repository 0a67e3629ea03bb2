# frozen_string_literal: true

require "coppice/config/hooks"
require "coppice/config/options"

module Coppice
  module Config
    # What changes in the settings when one release follows another: names of options; of hooks and services, which the
    # release brings, those that come and go. What their blocks do is not compared.
    class SettingsChange
      # Options of a release that the lobby reads as well, at its own start.
      READ_BY_LOBBY = %i[
        client_header_timeout client_body_timeout client_write_timeout client_min_rate
        max_request_line_bytes max_header_bytes max_header_count max_body_bytes trusted_proxies rewindable_input
      ].freeze

      # later: as the configuration of the next release has it. directories: of the releases. Settings have absolute
      # paths: one below such a directory counts as it is written, from there. start: what the server was started with,
      # which the lobby has from its start to its end.
      #: (Settings, Settings, ?directories: Array[String], ?start: Settings) -> void
      def initialize(earlier, later, directories: [], start: earlier)
        @earlier = earlier
        @start = start
        @later = later
        @directories = directories.sort_by { |directory| -directory.size } # one may be below another one
      end

      # Options that have another value from the commit of the release on.
      #: () -> Array[Symbol | String]
      def changed = differing(@earlier, :release) - kept_for_processes + hooks + services

      # Options whose new value has no effect before the server is started again.
      #: () -> Array[Symbol]
      def kept = differing(@earlier, :server) + kept_for_processes

      # Options of a release that the lobby has with another value until the server is started again.
      #: () -> Array[Symbol]
      def kept_by_lobby = @start.lobby? ? differing(@start, :release) & READ_BY_LOBBY : []

      # All three kinds, for people.
      #: () -> Array[String]
      def lines = described("changes with the release" => changed) + not_in_force

      # What the next configuration has otherwise, and what holds as it was until a restart.
      #: () -> Array[String]
      def not_in_force
        described("only a restart of the server changes" => kept, "the lobby keeps until a restart" => kept_by_lobby)
      end

      private

      def described(names_of)
        names_of.reject { |_, names| names.empty? }.map { |title, names| "#{title}: #{names.join(', ')}" }
      end

      # A server of several processes does not become one, nor the other way round.
      def kept_for_processes = @earlier.single? == @later.single? ? [] : [:worker_processes]

      def hooks = HOOKS.names.reject { |name| @earlier.hooks[name].nil? == @later.hooks[name].nil? }

      def services
        before, after = [@earlier, @later].map { |settings| settings.services.map { |one| one.to_h.except(:block) } }
        ((before | after) - (before & after)).filter_map { |one| one[:name] }.uniq.map { |name| "service #{name}" }
      end

      # A logger of the user's has no value to compare, and sockets that a service manager has passed stay as they are.
      def differing(before, scope)
        names = OPTIONS.select { |option| option.scope == scope && option.name != :logger }.map(&:name)
        names.reject! { |name| @earlier.origin(name) == "environment LISTEN_FDNAMES" }
        names.reject { |name| [before, @later].map { |settings| written(settings.public_send(name)) }.uniq.size == 1 }
      end

      def written(value)
        case value
        when String then value.delete_prefix(@directories.find { |directory| below?(value, directory) }.to_s)
        when Array, Struct then value.map { |part| written(part) }
        else value.respond_to?(:call) ? :block : value # each evaluation of the file makes another one
        end
      end

      def below?(path, directory) = path == directory || path.start_with?(File.join(directory, ""))
    end
  end
end
