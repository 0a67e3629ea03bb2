# frozen_string_literal: true

require "test_helper"
require "coppice/config/settings"
require "coppice/config/settings_change"

module Coppice
  module Config
    class SettingsChangeTest < TestCase
      LOBBY = { listen: [Listeners::Address.parse(8080, lobby: true)] }.freeze
      NO_LOBBY = { listen: [Listeners::Address.parse(8080, lobby: false)] }.freeze

      def change(earlier, later, **options)
        SettingsChange.new(Settings.new(values: earlier, **options), Settings.new(values: later))
      end

      test "nothing changes between equal configurations" do
        same = change({ worker_processes: 3 }, { worker_processes: 3 })

        assert_empty same.changed + same.kept + same.kept_by_lobby
      end

      test "options of the release change with it, those of the server do not" do
        found = change({ **NO_LOBBY, worker_processes: 3 }, { **NO_LOBBY, worker_processes: 4, pidfile: "/tmp/pid" })

        assert_equal [[:worker_processes], [:pidfile]], [found.changed, found.kept]
      end

      test "a path below the release's directory is compared as it is written, from there" do
        earlier, later, elsewhere = %w[/srv/1 /srv/2 /srv/10].map do |directory|
          Settings.new(values: { pidfile: "#{directory}/tmp/a.pid", state_directory: "#{directory}/state",
            listen: [Listeners::Address.parse("#{directory}/a.sock"), Listeners::Address.parse(80)] })
        end
        directories = %w[/srv/1 /srv/2]

        same = SettingsChange.new(earlier, later, directories: directories)
        assert_empty same.kept + same.changed
        other = SettingsChange.new(earlier, elsewhere, directories: directories)
        assert_equal %i[listen pidfile state_directory], (other.kept + other.changed).sort
      end

      test "so is the directory itself, and one that is below another release's" do
        first, second = %w[/srv /srv/releases/2].map do |directory|
          Settings.new(values: { directory: directory, pidfile: "#{directory}/tmp/a.pid" })
        end
        [%w[/srv /srv/releases/2], %w[/srv/releases/2 /srv]].each do |directories|
          change = SettingsChange.new(first, second, directories: directories)
          assert_empty change.kept + change.changed
        end
      end

      test "a block of each configuration is no difference, and a block in place of a value is one" do
        block, same, other = ->(_) { :ABRT }, ->(_) { :ABRT }, :ABRT
        changed = [same, other].map { |later| change({ timeout_signal: block }, { timeout_signal: later }).changed }

        assert_equal [[], [:timeout_signal]], changed
      end

      test "the lobby keeps what it reads at its start" do
        times = [{ timeout: 5, spawn_timeout: 9 }, { timeout: 6, spawn_timeout: 10 }]

        assert_equal [:timeout], change(*times.map { |values| LOBBY.merge(values) }).kept_by_lobby
        assert_empty change(*times.map { |values| NO_LOBBY.merge(values) }).kept_by_lobby
      end

      test "a server of several processes does not become one, nor the other way round" do
        [[3, 0], [0, 3]].each do |earlier, later|
          found = change({ **NO_LOBBY, worker_processes: earlier }, { **NO_LOBBY, worker_processes: later })

          assert_equal [[], [:worker_processes]], [found.changed, found.kept]
        end
      end

      test "a logger is not compared, and sockets of a service manager stay" do
        found = change({ logger: Object.new, **NO_LOBBY }, { logger: Object.new },
          origins: { listen: "environment LISTEN_FDNAMES" })

        assert_empty found.changed + found.kept
      end

      test "each option that the lobby keeps is one of the release" do
        scopes = SettingsChange::READ_BY_LOBBY.map { |name| OPTIONS[name].scope }

        assert_equal [:release], scopes.uniq
      end
    end
  end
end
