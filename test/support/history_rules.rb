# frozen_string_literal: true

# What must be true of a server at any time, whatever happens to it: the part of History that judges.
module HistoryRules
  private

  def check_rules
    unique(roster.workers.map(&:nr), "slot")
    unique(roster.handles.map { |handle| handle.row.index }, "row")
    broken "gave up: #{roster.give_up_reason}" if roster.give_up_reason
    roster.handles.each { |handle| broken "no way out for #{handle.name}, #{handle.state}" if stuck?(handle) }
    check_groups
    check_molds
    check_services
    settings[:worker_processes].is_a?(Integer) && !@resizing ? check_width : check_bounds
    check_seats if roster.lobby_wanted
    check_releases
  end

  # Whom the watchdog would kill at this moment.
  def overdue
    steps = Coppice::Monitor::Watchdog.new(roster.settings, @server.board, system).next(roster, system.now)
    steps.filter_map { |step| step.handle if step.is_a?(Coppice::Monitor::Steps::Kill) }
  end

  # A worker that is to be forked has a seat, at a lobby that is ready.
  def check_seats
    unique(roster.handles.filter_map { |handle| handle.seat&.number }, "seat")
    broken "seats without a lobby" if roster.lobby.nil? && roster.workers.any?(&:seat)
  end

  # The workers are those that there were before the turn.
  def check_forks(workers)
    return unless roster.lobby_wanted

    forked = (roster.workers - workers).reject(&:rehearsing?)
    broken "a worker was forked without a seat" if forked.any? { |worker| worker.seat.nil? }
    broken "a worker was forked without a lobby" if forked.any? && !roster.lobby&.ready?
  end

  # A guest has its signals as soon as it handles them.
  def check_kept_signals
    late = roster.children[:guests].to_a.select { |guest| guest.kept_signals.any? && guest.handles_signals? }
    broken "kept a signal of #{late.first.name}" if late.any?
  end

  # One that is committed, and one that wants to be or is kept for a rollback; the others are on their way out.
  def check_molds
    molds = roster.handles.select { |handle| handle.mold? && !handle.leaving? }
    known = [roster.mold, roster.candidate, roster.kept]
    broken "#{molds.size} molds" if molds.size > (roster.kept ? 3 : 2) || (molds - known).any?
  end

  # Nothing has happened for a while. A mold that is not kept is there only as the first of a generation that has just
  # begun, for the age of a worker.
  def check_idle_mold
    return if settings[:keep_mold] != false || settings[:worker_max_age]

    broken "a mold that is not kept, and has nothing to fork" if roster.mold
  end

  # Never two of one name; and none is told to leave for a refork that it survives. One that was told for a roll may
  # still be on its way out when a rollback has brought its release back.
  def check_services
    unique(roster.services.reject(&:passed_on?).map { |handle| handle.service.name }, "service")
    told = roster.services.select { |handle| handle.leaving? && handle.kill_reason.nil? && handle.signalled_at.nil? }
    just_told = told - @told.to_a
    @told = told
    return if roster.stopping
    return if just_told.none? { |handle| handle.service.survives_reforks && roster.of_release?(handle) }

    broken "a service that survives reforks was told to leave"
  end

  # The committed mold, the candidate and the trial are those before the turn. A lost mold is replaced in any case, and
  # a boot of the same release is what its application makes of it.
  def check_refusal(mold, candidate, trial)
    return if mold.nil? || mold.gone? || trial.nil? || candidate.release.settings.fork_audit != :refuse
    return if candidate.cold? && candidate.release.equal?(mold.release)

    broken "committed what was refused" if roster.mold.equal?(candidate) && trial.audit_findings.positive?
  end

  def unique(values, name)
    broken "two owners of a #{name}: #{values}" unless values.uniq == values
  end

  # What is not ready must become something, and what is ready must not be ended for its age.
  def stuck?(handle)
    handle.ready? ? !handle.deadline.nil? : handle.deadline.nil? && handle.state != :ready
  end

  # Groups that follow each change have what a look at all children finds.
  def check_groups
    Coppice::Monitor::Children::KINDS.merge(Coppice::Monitor::Children::CONDITIONS).each do |name, condition|
      found = roster.handles.select(&condition)
      broken "wrong group #{name}" unless roster.children[name].to_a.sort_by(&:object_id) == found.sort_by(&:object_id)
    end
    rows = roster.handles.map { |handle| handle.row.index }
    broken "wrong rows" unless roster.children.of_rows(rows) == roster.handles
    broken "a time for a ready child" if roster.handles.any? { |handle| handle.ready? && handle.deadline }
    broken "wrong pids" unless roster.children.by_pid.keys.sort == roster.handles.flat_map(&:pids).sort
    broken "wrong slot" unless roster.children.slots.first_empty == (0..).find { |nr| slots.none?(nr) }
    broken "wrong surplus" unless roster.surplus_workers.size == slots.count { |nr| nr >= roster.target }
  end

  def slots = roster.workers.map(&:nr)

  # Down by our own choice: told to leave, and neither because they were overdue nor for a signal to them alone.
  # And not with a release that was given up, whose trial is one worker more.
  def by_choice
    told = serving.select { |worker| worker.leaving? && worker.kill_reason.nil? && worker.signalled_at.nil? }
    told.select { |worker| roster.releases.map(&:number).include?(worker.release.number) }
  end

  # All but one that nobody can reach.
  def serving = roster.workers.reject { |worker| worker.rehearsing? }

  # Before it there were these.
  def check_turn(workers, *molds)
    check_refusal(*molds)
    check_forks(workers)
    check_decided
    check_kept_signals
    note_budget
  end

  # An event may be several turns, and the memory that is left changes.
  def note_budget = @may_be_missing = [@may_be_missing.to_i, budget.max_unavailable(roster)].max

  # The workers that exit by our choice leave enough others that serve.
  def check_capacity
    least = roster.target - @may_be_missing
    least = [least, 1].min if @resizing || !settings[:worker_processes].is_a?(Integer)
    broken "#{roster.ready_workers.size} workers are left, #{least} were promised" if roster.ready_workers.size < least
  end

  def check_width
    shares = [settings[:refork_surge], "10%"]
    width = shares.map { |share| Coppice::Config::Types::WorkerShare.of(share, roster.wanted) }.max
    width += Coppice::Config::Types::WorkerShare.of("10%", roster.wanted) if roster.roll # a lean one holds so many back
    told = by_choice.count { |worker| worker.nr < roster.target } # those beyond are one too many for anybody's share
    broken "#{told} of #{roster.target} workers were told to leave at once" if told > width + stand_ins
    extra = serving.size - roster.target
    broken "#{extra} workers more than wanted" if extra > width
  end

  # Ready workers beyond the target that are left when memory has run short: others may be missing besides those for
  # whom they stand in. They are still on their way out when there is memory again.
  def stand_ins
    @ran_short = budget.surge(roster).zero? || (@ran_short && by_choice.any?)
    @ran_short ? roster.surplus_workers.count(&:ready?) : 0
  end

  def budget = Coppice::Monitor::RolloutBudget.new(roster.settings)

  def everybody_there?
    roster.handles.size == roster.target + molds + observers + lobbies + services + roster.children[:guests].to_a.size
  end

  def molds = [roster.mold, roster.kept].compact.size
  def mold_there? = roster.mold ? roster.mold.ready? : settings[:keep_mold] == false

  # As the lobby knows it, too.
  def everybody_seated?
    return true unless roster.lobby_wanted
    return false if roster.lobby&.leaving? # the next one comes when it is gone

    seats = roster.workers.map { |worker| worker.seat&.number }
    lobby = system.lobby
    seats.all? && !lobby.loop.nil? && (lobby.loop.hanging || (lobby.accepting && lobby.seats.keys.sort == seats.sort))
  end

  def lobbies = roster.lobby_wanted ? 1 : 0

  # All that there should be, each of the generation that it should be.
  def services
    good = roster.services.all? do |handle|
      !handle.leaving? && (handle.service.survives_reforks || handle.generation == roster.generation)
    end
    good ? roster.settings.services.size : Float::INFINITY
  end

  # One, if the configuration asks for it, ready or hanging.
  def observers
    return 0 unless settings[:admin_listen]

    roster.observer && !roster.observer.leaving? ? 1 : Float::INFINITY
  end
end
