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

  # Of a mold that gets nothing but what we have.
  PLAIN_ENVIRONMENT = Struct.new(:added, :to_log).new({}.freeze, {}.freeze).freeze

  attr_reader :board, :system, :supervision, :given_up, :settings, :refused_clients

  def initialize(hooks: {}, **values)
    @settings = Coppice::Config::Settings.new(values: { worker_processes: 4, **values }, hooks: hooks)
    @board = Coppice::Board.create
    @system = FakeSystem.new(@board)
    @supervision = Coppice::Monitor::Supervision.new(
      monitor: self, system: @system, rows: Coppice::Monitor::RowPool.new(@board), settings: @settings, log: Silence.new
    )
    roster.unfitted = @settings.warm_up?
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

  # What Monitor answers to its parts:
  def listener_names = []
  def listeners_for(_nr) = [$stdin]
  def boot_files = []
  def mold_environment = PLAIN_ENVIRONMENT
  def fit(_allocations) = roster.unfitted = false
  def refuse_clients = @refused_clients = true
  def queues_stay? = false
  def borrowed_queues? = false
  def workers_wanted(count) = @board.workers_count = count
  def generation_committed(_generation) = nil
  def worker_ready = nil
  def child_ended(_handle, _status) = nil
  def ending(_handle, _reason) = yield(settings.timeout_signal)

  def give_up(reason)
    @given_up = reason
    supervision.stop(:gracefully)
  end

  private

  def busy?(process) = !process.hanging && (process.stage != :ready || process.channel.talking?)
end
