# frozen_string_literal: true

# What clients want of a server whose number of workers follows the load: the part of History about that.
module HistoryLoad
  WEIGHTS = { crowd: 4, pass: 6, compute: 2, answer: 4 }.freeze
  COUNTS = [:auto, *1..12, 1..3, 2..8, 4..16].freeze

  private

  # Every worker has a request, and some requests wait.
  def crowd(number)
    each_worker_row { |row| row.started_ms = (system.now * 1000).to_i }
    @server.board.lobby.waiting = number % 20
  end

  # The same, for half a second.
  def pass(_)
    5.times do
      system.advance(0.1)
      @server.turn
    end
  end

  def compute(number) = system.computing = (number % 11) / 10.0
  def answer(number) = each_worker_row { |row| row.count(:responses, number % 3, place: 1) }

  # No client is left.
  def calm_load
    @server.board.lobby.waiting = 0
    system.computing = 0
    each_worker_row { |row| row.started_ms = 0 }
  end

  # A user may shift both ends.
  def check_bounds
    bounds = settings[:worker_processes]
    return if !bounds.is_a?(Range) || @resizing || bounds.cover?(roster.wanted)

    broken "#{roster.wanted} workers wanted, which is not in #{bounds}"
  end

  def each_worker_row
    system.processes.each_value { |process| yield process.row if process.role == :worker && process.row }
  end
end
