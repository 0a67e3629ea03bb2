# frozen_string_literal: true

require_relative "fake_server"
require_relative "history_load"
require_relative "history_rolls"
require_relative "history_rules"

# A random history of a server: what its processes, its user and the clock do, drawn
# from a seed. Plays it against the real supervision and names the first rule broken.
class History
  include HistoryLoad, HistoryRolls, HistoryRules

  # How often each event is drawn.
  WEIGHTS = {
    turn: 30, step: 60, serve: 12, advance: 6, long_wait: 1, pause: 1, kill: 3, leave: 1, hang: 2, break: 2, unsafe: 1,
    refork: 2, starve: 1, extend: 1, unheard: 6, late: 1, lose_middle: 1, mute_middle: 1, hold_middle: 1,
    weigh: 6, rush: 3, use_memory: 1, hang_at_first: 1, term: 1, find: 3, guest: 2,
    disconnect: 1, interrupt: 1
  }.freeze
  LOSING_LOBBIES = { lose_loop: 6, lose_keeper: 2, lose_lobby: 1 }.freeze
  RESIZING = { grow: 1, reduce: 1 }.freeze
  LEAKY = { leak: 3, renew: 20 }.freeze
  MAX_AGE = 120 # of a worker, where it is limited

  Broken = Class.new(StandardError)

  attr_reader :events, :settings

  def self.draw(random)
    resizing = random.rand < 0.3
    weights = WEIGHTS.merge(HistoryLoad::WEIGHTS, resizing ? RESIZING : {}, random.rand < 0.2 ? LEAKY : {})
    stops_early = random.rand < 0.3
    lobby = random.rand < 0.4
    weights = weights.merge(LOSING_LOBBIES) if lobby
    rolls = HistoryRolls.draw(random)
    weights = weights.merge(rolls[:weights])
    bag = weights.flat_map { |name, weight| [name] * weight }
    events = Array.new(random.rand(20..160)) { [bag.sample(random: random), random.rand(1_000_000)] }
    settings = { worker_processes: HistoryLoad::COUNTS.sample(random: random),
                 refork_after: [nil, [5], [3, 6, false], :auto].sample(random: random),
                 refork_surge: ["10%", "10%", 0, "50%"].sample(random: random), shutdown_delay: random.rand(3),
                 warm_up_requests: [nil, nil, ["/"]].sample(random: random),
                 guests: [false, 3].sample(random: random), guest_timeout: [nil, 30].sample(random: random),
                 admin_listen: [nil, [Coppice::Listeners::Address.parse(9293)]].sample(random: random),
                 fork_audit: %i[warn refuse refuse].sample(random: random), **limits(random), **services(random),
                 **mold(random),
                 listen: [Coppice::Listeners::Address.parse(8080, lobby: lobby)], **rolls[:settings] }
    new(events, resizing: resizing || rolls[:changes], stops_early: stops_early, **settings)
  end

  def self.services(random)
    both = { "jobs" => { survives_reforks: true }, "cable" => { timeout: 3, max_age: 60 } }
    { services: [{}, both.slice("jobs"), both].sample(random: random),
      hooks: [{}, { before_service_worker_ready: -> {} }].sample(random: random) }
  end
  private_class_method :services

  # Guests and refused molds need one that is kept.
  def self.mold(random)
    random.rand < 0.4 ? { keep_mold: false, guests: false, fork_audit: :warn } : {}
  end
  private_class_method :mold

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
    FakeServer.open(**settings) do |server|
      @server = server
      server.after_turn(&method(:check_turn))
      play
      unless @stops_early
        recover
        wish_for_rollback
      end
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

  def roster = @server.roster
  def system = @server.system

  def play
    @server.settle
    @events.each do |name, number|
      before = by_choice
      @may_be_missing = 0
      send(name, number)
      check_rules
      check_capacity if (by_choice - before).any?
    end
  end

  def turn(_) = @server.turn
  def unheard(_) = @server.turn([]) # who has ended is known before what they said
  def late(number) = system.late = number.odd?
  def lose_middle(_) = system.middle = :lost
  def mute_middle(_) = system.middle = :mute
  def hold_middle(_) = system.middle = :stuck
  def step(number) = pick(number) { |process| system.step(process) }
  def advance(number) = system.advance((number % 100) / 50.0)
  def long_wait(number) = system.advance(number % 40)

  # Nothing runs for a while: nobody may be killed for that.
  def pause(number, seconds = 5.0 + (number % 300))
    before = overdue
    system.advance(seconds)
    Coppice::Monitor::MissedTime.make_up(roster, seconds)
    broken "killed for a pause: #{(overdue - before).map(&:name)}" if (overdue - before).any?
  end

  def kill(number) = pick(number) { |process| system.die(process, FakeSystem::Status.new(nil, 9)) }
  def leave(number) = pick(number) { |process| system.die(process, FakeSystem::Status.new(0, nil)) }

  def term(number)
    pick(number) do |process|
      deaf = process.row.nil? || process.hanging || %i[observer guest keeper loop].include?(process.role)
      system.report_term(process) unless deaf
    end
  end

  def guest(_) = @server.guest_refused? || system.refusing? || @server.start_guest
  def interrupt(_) = @server.guests.last&.then { |guest| @server.operations.signal(guest, :INT) }
  def disconnect(_) = @server.guests.sample(random: Random.new(1))&.errand&.leave

  def lose_loop(number)
    system.lobby&.swallow unless (number % 4).zero?
    lose(system.lobby&.loop)
  end

  def lose_keeper(_) = lose(system.lobby&.keeper)
  def lose_lobby(_) = [lose_keeper(0), lose_loop(0)]
  def lose(process) = (system.die(process, FakeSystem::Status.new(nil, 11)) if process)

  def hang(number) = pick(number) { |process| process.hanging = true }
  def break(number) = pick(number) { |process| process.broken = true }
  def hang_at_first(number) = system.hanging_first_request = number.odd?
  def find(number) = system.audit_findings = number.odd? ? [[:missing_thread, "poller app.rb:1", nil]] : []
  def starve(number) = system.refusals = number % 5
  def refork(_) = @server.operations.refork
  def grow(_) = @server.operations.resize(+1)
  def reduce(_) = @server.operations.resize(-1)

  def serving?(process) = process.role == :worker && process.stage == :ready
  def serve(number) = pick(number) { |process| process.row.requests += 1 if serving?(process) }

  # A worker measures itself.
  def weigh(number)
    pick(number) do |process|
      row = process.row
      next unless serving?(process)

      row.measured_requests = row.requests
      row.private_kib = row.pss_kib = number % 100_000
      row.cpu_ms = row.cpu_at_start_ms + (row.requests * 5)
    end
  end

  # A whole generation without an accident.
  def renew(number)
    refork(number)
    @server.settle
  end

  # Many requests until the next look.
  def rush(number)
    pick(number) { |process| process.row.requests += number % 5000 if serving?(process) }
    weigh(number)
  end

  # From now on each mold is larger than the one before, once the application is warm.
  def leak(number) = pause(system.mold_growth_kib = number % 50_000, Coppice::Monitor::LeakWatch::WARM_UP)
  def use_memory(number) = system.memory_left_kib = number.even? ? number * 4 : number % 200_000

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

  # The faults stop; within bounded time every slot is served by one generation with one mold.
  def recover
    calm
    200.times do
      system.processes.each_value { |process| process.broken = false }
      @server.settle(rounds: 20)
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
    lobby = system.lobby
    20.times do
      system.advance(5.0)
      @server.settle(rounds: 20)
    end
    broken "another lobby for nothing" unless system.lobby.equal?(lobby)
    check_idle_mold
    check_window
    forks = system.last_pid - forks
    reforks = roster.generation - generation
    # In each round every worker is replaced, and one in surge with it. The trial of one more refork may hang.
    rounds = reforks + 1 + (settings[:worker_max_age] ? 2 : 0) + (system.hanging_first_request ? 1 : 0)
    most = settings[:warm_up_requests] ? 3 : 2 # a boot after growth that is warmed up takes two generations
    broken "#{reforks} reforks for nothing" if reforks > most
    broken "#{forks} forks for nothing" if forks > rounds * ((2 * roster.target) + 1 + roster.settings.services.size)
  end

  # The faults of the machine itself; those of processes are the server's to deal with.
  def calm
    calm_load
    system.late = false
    system.refusals = 0
    system.middle = nil
    system.audit_findings = []
    appear(0)
    system.processes.each_value { |process| process.row.deadline_ms = 0 if process.row }
  end

  def recovered?
    roster.settled? && mold_there? && everybody_there? && !promotion_due? && everybody_seated? && rolls_done? &&
      roster.ready_workers.none? { |worker| system.processes[worker.pid]&.hanging }
  end

  # A wish for a refork waits for as long as no worker may be forked.
  def promotion_due? = roster.succession.asked && Coppice::Monitor::Promotion.new(roster.settings).template(roster)

  def stop
    calm
    @server.connecting = @events.size % 3 # and none of them ever comes
    @server.operations.stop(:gracefully, delay: settings[:shutdown_delay])
    200.times do
      @server.settle(rounds: 5)
      return if @server.supervision.finished?

      system.advance(1.0)
    end
    broken "the stop did not end: #{roster.handles.map { |handle| [handle.name, handle.state] }}"
  end

  def broken(message) = raise(Broken, message)
end
