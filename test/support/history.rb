# frozen_string_literal: true

require_relative "fake_family"

# A random history of a family: what its processes, its user and the clock do, drawn
# from a seed. Plays it against the real supervision and names the first rule broken.
class History
  # How often each event is drawn.
  WEIGHTS = {
    turn: 30, step: 60, serve: 12, advance: 6, long_wait: 1, kill: 3, leave: 1, hang: 2, break: 2, unsafe: 1,
    refork: 2, starve: 1, extend: 1, unheard: 6, late: 1, lose_middle: 1, mute_middle: 1, hold_middle: 1,
    weigh: 6, rush: 3, use_memory: 1, hang_at_first: 1, term: 1
  }.freeze
  RESIZING = { grow: 1, reduce: 1 }.freeze
  LEAKY = { leak: 3, renew: 20 }.freeze
  MAX_AGE = 120 # of a worker, where it is limited

  Broken = Class.new(StandardError)

  attr_reader :events, :settings

  def self.draw(random)
    resizing = random.rand < 0.3
    weights = WEIGHTS.merge(resizing ? RESIZING : {}, random.rand < 0.2 ? LEAKY : {})
    stops_early = random.rand < 0.3
    bag = weights.flat_map { |name, weight| [name] * weight }
    events = Array.new(random.rand(20..160)) { [bag.sample(random: random), random.rand(1_000_000)] }
    settings = { worker_processes: [:auto, *1..12].sample(random: random),
                 refork_after: [nil, [5], [3, 6, false], :auto].sample(random: random),
                 refork_surge: ["10%", "10%", 0, "50%"].sample(random: random), shutdown_delay: random.rand(3),
                 warm_up_requests: [nil, nil, ["/"]].sample(random: random), **limits(random) }
    new(events, resizing: resizing, stops_early: stops_early, **settings)
  end

  def self.limits(random)
    { worker_max_requests: [nil, nil, 8].sample(random: random),
      worker_max_age: [nil, nil, MAX_AGE].sample(random: random),
      worker_memory_limit: [nil, { private: 50_000 * 1024 }, { pss: "2%" }].sample(random: random),
      cold_boot_after_growth: [nil, "10%"].sample(random: random) }
  end
  private_class_method :limits

  def initialize(events, resizing:, stops_early:, **settings)
    @events = events
    @settings = settings
    @resizing = resizing
    @stops_early = stops_early
  end

  # The same beginning with fewer events.
  def with(events) = History.new(events, resizing: @resizing, stops_early: @stops_early, **@settings)

  # nil, or what went wrong.
  def failure
    FakeFamily.open(**settings) do |family|
      @family = family
      play
      recover unless @stops_early
      stop
    end
    nil
  rescue Broken, Coppice::Bug => error
    error.message
  end

  # A short history that still fails, by leaving out ever smaller pieces.
  def shrink
    size = events.size / 2
    short = self
    while size.positive?
      starts = (0...short.events.size).step(size)
      smaller = starts.map { |at| short.with(short.events[0...at] + short.events[(at + size)..].to_a) }
      found = smaller.find(&:failure)
      found ? short = found : size /= 2
      size = [size, short.events.size].min
    end
    short
  end

  private

  def roster = @family.roster
  def system = @family.system

  def play
    @family.settle
    @events.each do |name, number|
      before = by_choice
      send(name, number)
      check_rules
      check_capacity if (by_choice - before).any? && !@resizing
    end
  end

  def turn(_) = @family.turn
  def unheard(_) = @family.supervision.turn([]) # who has ended is known before what they said
  def late(number) = system.late = number.odd?
  def lose_middle(_) = system.middle = :lost
  def mute_middle(_) = system.middle = :mute
  def hold_middle(_) = system.middle = :stuck
  def step(number) = pick(number) { |process| system.step(process) }
  def advance(number) = system.advance((number % 100) / 50.0)
  def long_wait(number) = system.advance(number % 40)
  def kill(number) = pick(number) { |process| system.die(process, FakeSystem::Status.new(nil, 9)) }
  def leave(number) = pick(number) { |process| system.die(process, FakeSystem::Status.new(0, nil)) }
  def term(number) = pick(number) { |process| system.report_term(process) if process.row && !process.hanging }
  def hang(number) = pick(number) { |process| process.hanging = true }
  def break(number) = pick(number) { |process| process.broken = true }
  def hang_at_first(number) = system.hanging_first_request = number.odd?
  def starve(number) = system.refusals = number % 5
  def refork(_) = @family.supervision.refork
  def grow(_) = @family.supervision.resize(+1)
  def reduce(_) = @family.supervision.resize(-1)

  def serve(number)
    pick(number) { |process| process.row.requests += 1 if process.role == :worker && process.stage == :ready }
  end

  # A worker measures itself.
  def weigh(number)
    pick(number) do |process|
      row = process.row
      next unless process.role == :worker && process.stage == :ready

      row.measured_requests = row.requests
      row.private_kib = row.pss_kib = number % 100_000
      row.cpu_ms = row.cpu_at_start_ms + (row.requests * 5)
    end
  end

  # A whole generation without an accident.
  def renew(number)
    refork(number)
    @family.settle
  end

  # Many requests until the next look.
  def rush(number)
    pick(number) do |process|
      process.row.requests += number % 5000 if process.role == :worker && process.stage == :ready
    end
    weigh(number)
  end

  # From now on each mold is larger than the one before.
  def leak(number) = system.mold_growth_kib = number % 50_000
  def use_memory(number) = system.memory_left_kib = number * 4

  def extend(number)
    deadline_ms = ((system.now + (number % 60)) * 1000).to_i
    pick(number) { |process| process.row.deadline_ms = deadline_ms if process.row && process.role == :worker }
  end

  def unsafe(number)
    pick(number) { |process| process.row.not_fork_safe = 1 if process.row && process.role == :worker }
  end

  def pick(number)
    process = system.processes.values[number % [system.processes.size, 1].max]
    yield process if process && !(boot_time? && process.role == :mold)
  end

  # A server whose first boot fails gives up, rightly: not what is tested here.
  def boot_time? = !roster.booted?

  def check_rules
    unique(roster.workers.map(&:nr), "slot")
    unique(roster.handles.map { |handle| handle.row.index }, "row")
    broken "gave up: #{roster.give_up_reason}" if roster.give_up_reason
    roster.handles.each { |handle| broken "no way out for #{handle.name}, #{handle.state}" if stuck?(handle) }
    check_molds
    check_width unless @resizing
  end

  # One that is committed and one that wants to be; the others are on their way out.
  def check_molds
    molds = roster.handles.select { |handle| handle.mold? && !handle.leaving? }
    broken "#{molds.size} molds" if molds.size > 2 || (molds - [roster.mold, roster.candidate]).any?
  end

  def unique(values, name)
    broken "two owners of a #{name}: #{values}" unless values.uniq == values
  end

  # What is not ready must become something, and what is ready must not be ended for its age.
  def stuck?(handle)
    handle.ready? ? !handle.deadline.nil? : handle.deadline.nil? && handle.state != :ready
  end

  # Down by our own choice: told to leave, and neither because they were overdue nor for a signal to them alone.
  def by_choice = serving.select { |worker| worker.leaving? && worker.ended_for.nil? && worker.signalled_at.nil? }

  # All but one that nobody can reach.
  def serving = roster.workers.reject { |worker| worker.rehearsing? }

  # Whoever leaves by our choice leaves enough others that serve.
  def check_capacity
    least = roster.target - Coppice::Monitor::RolloutBudget.new(@family.settings).max_unavailable(roster)
    broken "#{roster.ready_workers.size} workers are left, #{least} were promised" if roster.ready_workers.size < least
  end

  def check_width
    shares = [settings[:refork_surge], "10%"]
    width = shares.map { |share| Coppice::Config::Types::WorkerShare.of(share, roster.target) }.max
    broken "#{by_choice.size} of #{roster.target} workers were told to leave at once" if by_choice.size > width
    extra = serving.size - roster.target
    broken "#{extra} workers more than wanted" if extra > width
  end

  # The faults stop; within bounded time every slot is served by one generation with one mold.
  def recover
    calm
    200.times do
      system.processes.each_value { |process| process.broken = false }
      @family.settle(rounds: 20)
      check_rules
      return stay_calm if recovered?

      system.advance(2.0)
    end
    states = roster.handles.map { |handle| [handle.name, handle.state, handle.deadline&.round] }
    broken "did not recover: #{states} at #{system.now.round}"
  end

  # Where nobody serves and nobody grows, what was replaced once is good for as long as it may live.
  def stay_calm
    generation = roster.generation
    forks = system.last_pid
    20.times do
      system.advance(5.0)
      @family.settle(rounds: 20)
    end
    forks = system.last_pid - forks
    reforks = roster.generation - generation
    # In each round every worker is replaced, and one in surge with it.
    rounds = reforks + 1 + (settings[:worker_max_age] ? 2 : 0)
    broken "#{reforks} reforks for nothing" if reforks > 2
    broken "#{forks} forks for nothing" if forks > rounds * ((2 * roster.target) + 1)
  end

  # The faults of the machine itself; those of processes are the server's to deal with.
  def calm
    system.late = false
    system.refusals = 0
    system.middle = nil
    system.processes.each_value { |process| process.row.deadline_ms = 0 if process.row }
  end

  def recovered?
    roster.settled? && roster.mold&.ready? && roster.handles.size == roster.target + 1 && !promotion_due? &&
      roster.ready_workers.none? { |worker| system.processes[worker.pid]&.hanging }
  end

  # A wish for a refork waits for as long as no worker may be forked.
  def promotion_due? = roster.refork_wanted && Coppice::Monitor::Promotion.new(@family.settings).template(roster)

  def stop
    calm
    @family.supervision.stop(:gracefully, delay: settings[:shutdown_delay])
    100.times do
      @family.settle(rounds: 5)
      return if @family.supervision.finished?

      system.advance(1.0)
    end
    broken "the stop did not end: #{roster.handles.map { |handle| [handle.name, handle.state] }}"
  end

  def broken(message) = raise(Broken, message)
end
