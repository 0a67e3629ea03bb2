# frozen_string_literal: true

require "test_helper"
require "coppice/config/settings"
require "coppice/config/settings_change"
require "coppice/monitor/lobby/lobby_settings"

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

      test "each kind is a line for people, and a roll tells those that are not in force" do
        found = change({ **LOBBY, worker_processes: 3 },
          { **LOBBY, worker_processes: 4, client_min_rate: 5, pidfile: "/a" })
        restart = ["only a restart of the server changes: pidfile", "the lobby keeps until a restart: client_min_rate"]

        assert_equal ["changes with the release: worker_processes, client_min_rate", *restart],
          found.lines.map { |line| line.sub("client_min_rate, worker_processes", "worker_processes, client_min_rate") }
        assert_equal restart, found.not_in_force
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

      test "hooks and services that come, go or have other options change with the release" do
        jobs, other, mail = [["jobs", false], ["jobs", true], ["mail", false]].map do |name, survives|
          ServiceDefinition.new(name: name, survives_reforks: survives, timeout: 25, block: -> {})
        end
        earlier = Settings.new(hooks: { before_fork: -> {}, after_mold_fork: -> {} }, services: [jobs])
        later = Settings.new(hooks: { before_fork: -> {}, after_worker_fork: -> {} }, services: [other, mail])

        assert_equal [:after_mold_fork, :after_worker_fork, "service jobs", "service mail"],
          SettingsChange.new(earlier, later).changed
        assert_empty SettingsChange.new(earlier, earlier).changed
      end

      test "the lobby keeps what it reads at its start" do
        times = [{ client_body_timeout: 5, timeout: 9 }, { client_body_timeout: 6, timeout: 10 }]

        assert_equal [:client_body_timeout], change(*times.map { |values| LOBBY.merge(values) }).kept_by_lobby
        assert_empty change(*times.map { |values| NO_LOBBY.merge(values) }).kept_by_lobby
      end

      test "each roll tells what the lobby has of the server's start, and no other" do
        start, second = [5, 6].map { |rate| Settings.new(values: { **LOBBY, client_min_rate: rate }) }
        same = SettingsChange.new(second, second, start: start)
        back = SettingsChange.new(second, start, start: start)

        assert_equal [[[], [:client_min_rate]], [[:client_min_rate], []]],
          [same, back].map { |one| [one.changed, one.kept_by_lobby] }
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

      test "all that the lobby reads of a release, and nothing else, counts as kept by it" do
        read = []
        recording = Class.new(Settings) do
          OPTIONS.names.each do |name|
            define_method(name) do
              read << name
              super()
            end
          end
        end
        Monitor::LobbySettings.new(recording.new(values: LOBBY)).packet([], max_connections: 16, seen: 0)

        assert_equal SettingsChange::READ_BY_LOBBY.sort,
          read.uniq.select { |name| OPTIONS[name].scope == :release }.sort
      end
    end
  end
end
