# frozen_string_literal: true

# The part of History that is about releases: what a user asks for, what is wrong with a release, and what must be true
# whatever becomes of a roll.
module HistoryRolls
  EVENTS = { roll: 4, roll_back: 3, roll_and_give_up: 1, vanish: 1, appear: 2, run_short: 1 }.freeze
  GOOD = %w[/releases/2 /releases/3 /releases/4].freeze
  FAULTY = %w[hangs broken broken_workers hanging_workers no_gemfile no_ruby endless_check].map do |fault|
    "/releases/#{fault}"
  end.freeze

  # What a history without rolls has.
  NONE = { weights: {}, settings: {}, changes: false }.freeze

  # The weights of the events, the settings, and whether releases change what the others have.
  def self.draw(random)
    return NONE if random.rand < 0.5

    changes = random.rand < 0.5
    releases = (GOOD + FAULTY).to_h { |directory| [directory, settings(random, changes)] }
    canary = { canary: random.rand < 0.5, canary_requests: 20, canary_time: 5 }
    { weights: EVENTS, settings: { **roll_settings(random), **canary, releases: releases }, changes: changes }
  end

  def self.roll_settings(random)
    { rollback_window: [0, 5, 60, 600].sample(random: random), roll_strategy: %i[beside lean].sample(random: random) }
  end
  private_class_method :roll_settings

  def self.settings(random, changes)
    kept = { **roll_settings(random), fork_audit: %i[warn refuse].sample(random: random) }
    return kept unless changes

    { **kept, worker_processes: [:auto, *1..8].sample(random: random),
      services: [{}, { "jobs" => { survives_reforks: true } }, { "mail" => {} }].sample(random: random),
      timeout: [5, 15, 60].sample(random: random), spawn_timeout: [5, 15].sample(random: random),
      guests: [false, 2].sample(random: random), refork_after: [nil, [4]].sample(random: random),
      warm_up_requests: [nil, nil, ["/"]].sample(random: random), boot_timeout: [30, 120].sample(random: random) }
  end
  private_class_method :settings

  private

  def directories = [*GOOD, *GOOD, *FAULTY, "/releases/1"]

  def roll(number) = ask { |rolls| rolls.roll(directories[number % directories.size], asked_by: "history") }
  def roll_back(_) = ask { |rolls| rolls.rollback(asked_by: "history") }

  # Both within one turn, and another one at once.
  def roll_and_give_up(number)
    roll(number)
    roll_back(0)
    roll(number + 1) if number.odd?
  end

  # A server refuses a second roll, and a rollback to nothing.
  def ask
    yield @server.supervision.rolls
  rescue Coppice::Error
    nil
  end

  def vanish(number) = @server.missing = GOOD.rotate(number).first(1 + (number % 2)) + ["/releases/1"].first(number % 2)
  def appear(_) = @server.missing = []
  def run_short(_) = system.memory_left_kib = 1000

  # The processes that run a release, and are not told to exit. A guest outlives rolls.
  def running = roster.handles.select { |handle| handle.release && !handle.leaving? && !handle.traits.errand }

  # A release that cannot fork workers for all slots is not waited for.
  def check_releases
    broken "the mold is of another release" if roster.mold && !roster.of_release?(roster.mold)
    broken "the board names another release" if @server.board.release_number != roster.release.number
    numbers = running.map { |handle| handle.release.number }.uniq
    @excused = numbers.size > 2 && (@excused || roster.spawns.failures >= 3 || roster.replacements.failures.positive?)
    broken "releases #{numbers} at once" if numbers.size > 2 && !@excused
    check_kept
  end

  def check_kept
    kept = roster.kept or return
    broken "the kept mold is of the running release" if roster.of_release?(kept)
    broken "the kept mold is of a release before the last" if kept.release.number != roster.earlier_release.number
    broken "the kept mold is the mold" if kept.equal?(roster.mold)
  end

  # Once a turn has passed since a roll was decided, nothing is left of it but what was committed. A server that stops
  # ends everything in its own time.
  def check_decided
    roll, @decided = @decided, (roster.roll if roster.roll&.decided?)
    return unless roll && roll.equal?(roster.roll) && roster.stopping.nil?

    broken "slots are held back for nothing" if roster.held_back.positive?
    return if roll.release.nil? || roster.releases.map(&:number).include?(roll.release.number)

    of_it = running.select { |handle| handle.release.number == roll.release.number }
    broken "runs a release that was given up: #{of_it.map(&:name)}" if of_it.any?
  end

  def rolls_done?
    (roster.roll.nil? || roster.roll.decided?) && roster.held_back.zero? &&
      running.all? { |handle| roster.of_release?(handle) || handle.equal?(roster.kept) }
  end

  # A wish that comes when all is well is granted, if there is anything to go back to.
  def wish_for_rollback
    earlier = roster.earlier_release or return
    faulty = FAULTY.include?(earlier.directory) # it was committed, but cannot be booted
    system.memory_left_kib = 2_000_000
    system.hanging_first_request = false
    roll_back(0)
    recover
    broken "no rollback: #{roster.roll.reason}" unless faulty || roster.release.directory == earlier.directory
  end

  def check_window
    broken "the mold is kept for too long" if roster.kept && system.now > roster.kept_until
  end
end
