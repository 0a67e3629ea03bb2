# frozen_string_literal: true

require "coppice"
require "coppice/board"
require "coppice/config/settings"
require "coppice/monitor/row_pool"
require "coppice/monitor/supervision"
require_relative "fake_system"

# The supervision of a family without a process: takes the monitor's place around it.
class FakeFamily
  # Says nothing, unless asked to show a failing history.
  class Silence
    %i[debug info warn error fatal exception].each { |name| define_method(name) { |*, **| nil } }
  end

  attr_reader :board, :system, :supervision, :settings, :refused_clients

  def initialize(hooks: {}, **values)
    @settings = Coppice::Config::Settings.new(values: { worker_processes: 4, **values }, hooks: hooks)
    @board = Coppice::Board.create
    @system = FakeSystem.new(@board)
    @supervision = Coppice::Monitor::Supervision.new(
      system: @system, board: @board, rows: Coppice::Monitor::RowPool.new(@board),
      port: self, spawner: self, hooks: self, settings: @settings, log: Silence.new
    )
  end

  # Yields a new family and lets go of its board afterwards.
  def self.open(**settings)
    family = new(**settings)
    yield family
  ensure
    family&.close
  end

  def close = @board.close
  def roster = supervision.roster

  # The monitor's loop, once.
  def turn
    system.beat
    supervision.turn(roster.handles.reject { |handle| handle.channel.closed? || !handle.channel.talking? })
  end

  # Everybody does what they have to do, for as long as something happens.
  def settle(rounds: 200)
    rounds.times do
      turn
      busy = system.processes.values.select { |process| busy?(process) }
      break if busy.empty?

      busy.each { |process| system.step(process) }
    end
    turn
  end

  def process_of(handle) = system.processes.fetch(handle.pid)

  # In the place of ServingPort:
  def listeners_for(_nr, workers:) = [$stdin].first(workers)
  def open = nil
  def refuse_new_connections = @refused_clients = true
  def all_borrowed? = false

  # In the place of MoldSpawner:
  def worth_fitting? = settings.warm_up?
  def fit(_allocations) = nil
  def spawn(channel) = [system.spawn_mold(channel), {}]

  def introduce(mold)
    boot = Coppice::Control::Messages::Boot.new(protocol: 0, generation: mold.generation, row: mold.row.index)
    mold.channel.send(boot)
  end

  # In the place of UserHooks:
  def call(_name, *_arguments) = nil
  def choose_signal(_handle, _reason) = yield(settings.timeout_signal)

  private

  def busy?(process) = !process.hanging && (process.stage != :ready || process.channel.talking?)
end
