# frozen_string_literal: true

require "coppice"
require "coppice/board"
require "coppice/config/service_definition"
require "coppice/config/settings"
require "coppice/monitor/act/mold_spawner"
require "coppice/monitor/kernel/row_pool"
require "coppice/monitor/supervision"
require "coppice/release"
require "coppice/release/release_check"
require "coppice/control/endpoint"
require "coppice/guest/supervision"
require_relative "fake_system"

# The supervision of a server without a process: takes the monitor's place around it.
class FakeServer
  # Says nothing, unless asked to show a failing history.
  class NullLog
    %i[debug info warn error fatal exception].each { |name| define_method(name) { |*, **| nil } }
    def with(**) = self
  end

  # In the place of ObserverSpawner.
  Observers = Struct.new(:system) do
    def spawn(channel, _release) = system.spawn_observer(channel)

    def introduce(handle, _release)
      system.refuse_if_mute(:observer)
      system.processes.fetch(handle.pid).row = handle.row
    end
  end

  # A release without files.
  class FakeRelease < Coppice::Release
    def revision = File.basename(directory)
  end

  # In the place of ReleaseCheck.
  RESULT = Coppice::ReleaseCheck::Result.new("ruby", "coppice", RUBY_VERSION).freeze
  FakeCheck = Struct.new(:directory, :system, :began_at) do
    def reader = $stdin
    def close = nil

    def result
      raise Coppice::Error, "no Gemfile" if directory.end_with?("no_gemfile")
      if directory.end_with?("broken_gemfile")
        raise Coppice::ReleaseRefused.new("KeyError: secret\n#{'x' * 2000}", reason: "KeyError")
      end
      return RESULT unless directory.end_with?("endless_check")

      raise Coppice::Error, "too late" if system.now - began_at >= 60
    end
  end

  # What the workers of a release do whose directory has such a name.
  FAULTS_OF_WORKERS = { "broken_workers" => :broken, "hanging_workers" => :hanging }.freeze

  attr_reader :board, :system, :supervision, :settings, :refused_clients
  attr_writer :missing # the directories that are not there
  attr_writer :connecting # how many clients have begun to connect

  # log: in the place of Coppice::Log.
  # services: Hash of the options of each, by name.
  # releases: Hash of what the configuration has otherwise in a directory, by directory.
  def initialize(hooks: {}, services: {}, releases: {}, log: NullLog.new, **values)
    @values = { hooks: hooks, services: services, worker_processes: 4, canary: false, **values }
    @releases = releases
    @missing = []
    @settings = settings_with
    @board = Coppice::Board.create
    @system = FakeSystem.new(@board)
    outside = Coppice::Monitor::Context.new(
      system: @system, board: @board, rows: Coppice::Monitor::RowPool.new(@board), port: self, molds: self,
      observers: Observers.new(@system), lobbies: FakeLobbyChild::Spawner.new(@system), hooks: self, knowledge: self,
      releases: self, log: log
    )
    @supervision = Coppice::Monitor::Supervision.new(outside)
  end

  # Yields a new server and lets go of its board afterwards.
  def self.open(**settings)
    server = new(**settings)
    yield server
  ensure
    server&.close
  end

  def close = [@board, roster.handshakes].each(&:close)
  def roster = supervision.roster
  def operations = supervision.operations
  def guests = roster.children[:guests].to_a

  # The monitor's loop, once. handles: those whose messages it finds; signalled: whether CHLD has come.
  def turn(handles = talking, signalled: true)
    system.beat
    before = [roster.workers, roster.mold, roster.candidate, roster.trial]
    supervision.learn(handles, signalled: signalled)
    supervision.turn
    @after_turn&.call(*before)
  end

  # Everybody does what they have to do, for as long as something happens.
  def settle(rounds: 200)
    rounds.times do
      turn
      busy = system.processes.values.select { |process| busy?(process) }
      break if busy.empty? && system.exited_children({}).empty?

      busy.each { |process| system.step(process) }
    end
    turn
  end

  # Somebody wants to run a program. Raises Coppice::Error when the server refuses.
  def start_guest
    errand = Coppice::Guest::Supervision::Errand.new(Coppice::Control::Endpoint::Peer.new(123, 1000), {})
    operations.start(errand)
    errand
  end

  # Whether the server would refuse it.
  def guest_refused? = !roster.mold&.ready? || guests.size >= roster.settings.guest_limit

  def talking = roster.handles.select { |handle| !handle.channel.closed? && handle.channel.talking? }

  def process_of(handle) = system.processes.fetch(handle.pid)

  # Calls the block after each turn, with the workers, the mold, the candidate and the trial that there were before.
  def after_turn(&block) = @after_turn = block

  # In the place of ServingPort:
  def listeners_for(_nr, workers:) = [$stdin].first(workers)
  def with_lobby = settings.listen.select(&:lobby?)
  def open = @open = true
  def open? = @open == true
  def requests_waiting = nil
  def refuse_new_connections = @refused_clients = true
  def connecting = @connecting.to_i
  def all_borrowed? = false

  # In the place of MoldSpawner:
  def worth_fitting?(release) = release.settings.warm_up? && release.settings.gc_profile_wait

  def spawn(release)
    raise Errno::ENOENT, release.directory if @missing.include?(release.directory)

    ours, theirs = system.channel_pair
    pid = system.spawn_mold(theirs)
    system.processes.fetch(pid).hanging = true if release.revision == "hangs"
    system.processes.fetch(pid).broken = true if release.revision == "broken"
    Coppice::Monitor::MoldSpawner::Spawned.new(release, ours, pid, {})
  ensure
    theirs&.close
    ours&.close unless pid
  end

  def introduce(mold, **)
    system.refuse_if_mute(:mold)
    boot = Coppice::Control::Messages::Boot.new(protocol: 0, generation: mold.generation, row: mold.row.index)
    mold.channel.send(boot)
  end

  # In the place of Knowledge:
  def keep_measurement(worker) = kept << worker
  def add_paths(counts) = kept << counts
  def write = kept << :written
  def kept = @kept ||= []

  # In the place of Releases: each directory is a release, unless its name says what is wrong with it.
  def first = @first ||= FakeRelease.new(number: 1, directory: "/releases/1", settings: settings).freeze
  def resolve(name = nil) = name || "/releases/next"
  def enter = nil

  def check(directory)
    raise Coppice::Error, "no Ruby" if directory.end_with?("no_ruby")

    FakeCheck.new(directory, system, system.now)
  end

  def build(check, _result, number:, running:)
    settings = settings_with(**@releases.fetch(check.directory, {})).following(running.settings, first_generation: 0)
    release = FakeRelease.new(number: number, directory: check.directory, settings: settings).freeze
    system.faults_of_workers[number] = FAULTS_OF_WORKERS[release.revision]
    release
  end

  def adopt(_release_or_settings) = nil

  # In the place of UserHooks:
  def call(_name, *_arguments) = nil
  def choose_signal(_handle, _reason) = yield(settings.timeout_signal)

  private

  def settings_with(**changes)
    values = { **@values, **changes }
    services = values.delete(:services).map do |name, options|
      Coppice::Config::ServiceDefinition.new(name: name, survives_reforks: false, timeout: 10, **options)
    end
    Coppice::Config::Settings.new(hooks: values.delete(:hooks), services: services, values: values,
                                  origins: values.delete(:origins) || {})
  end

  def busy?(process)
    return false if process.hanging
    return true if process.pending || process.stage != :ready
    return process.lobby.loop.nil? if process.role == :keeper # it reads nothing

    process.channel.talking? || (process.role == :loop && process.lobby.keeper.nil?)
  end
end
