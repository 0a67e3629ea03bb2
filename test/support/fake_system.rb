# frozen_string_literal: true

require_relative "fake_channel"
require_relative "fake_lobby_child"

# An operating system of make-believe processes, in the place of Monitor::System: a
# clock that is turned by hand, children that fork, answer, hang and die when a random
# history says so.
class FakeSystem
  # How a process ended, as Process::Status would tell.
  Status = Struct.new(:exitstatus, :termsig) do
    def signaled? = !termsig.nil?
    def exited? = !exitstatus.nil?
    def success? = exitstatus&.zero?
  end

  # One make-believe child: it does nothing unless `step` is called. refuses: when it is told to fork a mold, it finds
  # that it must not be forked. pending: how it ends, by a signal, once it hangs no more.
  FakeProcess = Struct.new(:pid, :role, :channel, :stage, :hanging, :broken, :row, :lobby,
                           :seat, :replaced, :refuses, :pending, keyword_init: true)

  attr_reader :processes, :now, :last_pid, :signals
  attr_reader :faults_of_workers # of a release, by its number: nil, :broken or :hanging
  attr_reader :lobby # the last one
  attr_reader :measured # the pids of those that were told to measure themselves
  attr_reader :deaf # the pids of those that do not do that
  attr_reader :processor_waits # pid => seconds for which it has waited for a processor
  attr_accessor :memory_left_kib, :memory_pressure
  attr_writer :computing # the share of its time for which each process wants a processor
  attr_writer :mold_kib # what each mold measures of itself when it is ready
  attr_writer :mold_growth_kib # and how much more the next one does
  attr_writer :refusals # how many of the next requests for a descriptor or a process are refused
  attr_writer :mute # the role of the next process that cannot be sent its first message
  attr_accessor :hanging_first_request # whether a worker that asks itself for a page hangs in it
  # What becomes of the next middle process: nil, :lost before it forks, :mute after it, :stuck forever.
  attr_writer :middle
  attr_writer :audit_findings # what the fork audit of each worker finds
  attr_writer :cpu_us # CPU time of each process that is reaped
  attr_writer :oom_counter # nil: the kernel counts none
  attr_writer :late # whether the kernel tells of the dead only now and then

  def initialize(board)
    @board = board
    @now = 1000.0
    @memory_left_kib = 2_000_000
    @memory_pressure = 0.0
    @mold_kib = 100_000
    @mold_growth_kib = 0
    @processes = {}
    @zombies = []
    @last_pid = 100
    @refusals = @cpu_us = @computing = @processor_demand = 0
    @audit_findings = []
    @faults_of_workers = {}
    @measured, @deaf = [], []
    @processor_waits = {}
    @signals = [] # [pid, name] of all that were sent
  end

  def peak_kib(_pid) = @mold_kib
  def unix_ms = (@now * 1000).to_i

  def advance(seconds)
    @processor_demand += seconds * @computing
    @now += seconds
  end

  def channel_pair
    refuse_or_go_on(Errno::EMFILE)
    FakeChannel.pair
  end

  def spawn_mold(channel)
    refuse_or_go_on(Errno::EAGAIN)
    born(:mold, channel.dup, nil)
  end

  def spawn_observer(channel)
    refuse_or_go_on(Errno::EAGAIN)
    born(:observer, channel.dup, nil)
  end

  def lobby_channel_pair = channel_pair

  def spawn_lobby(channel)
    refuse_or_go_on(Errno::EAGAIN)
    @lobby = FakeLobbyChild.new(self, channel.dup)
    @lobby.keeper.pid
  end

  # One of the processes of a lobby.
  def bear_part(part, lobby, channel)
    born(part, channel, nil).tap { |pid| @processes[pid].lobby = lobby }
  end

  # A negative number is a process group. A process that is continued goes on.
  def signal(pid, name)
    @signals << [pid, name]
    process = @processes[pid.abs] or return false
    return true if [:CONT, 0].include?(name)

    status = Status.new(nil, Signal.list.fetch(name.to_s))
    name == :KILL || !process.hanging ? die(process, status) : process.pending ||= status
    true
  end

  def kill(pid) = signal(pid, :KILL)
  def lost?(pid) = !@processes.key?(pid) && @zombies.none? { |zombie| zombie.first == pid }
  def replaced?(pid) = !!@processes[pid]&.replaced
  def refusing? = @refusals.positive?
  def out_of_memory? = @oom_counter&.increased? || false
  def look_at_oom_kills(now) = @oom_counter&.look(now)
  def processors = 4
  def processor_demand(_pid) = @processor_demand
  def processor_wait(pid) = @processor_waits.fetch(pid, 0)
  def descriptor_limit = 256
  def memory_total_kib = 4_000_000

  # Called before the first message to a process.
  def refuse_if_mute(role)
    return unless @mute == role

    @mute = nil
    raise Errno::ENOBUFS
  end

  def exited_children(_known) = @late && (@now * 10).to_i.odd? ? [] : @zombies.map(&:first)

  def reap(pid, group: false)
    kill(-pid) if group
    zombie = @zombies.assoc(pid) or return
    @zombies.delete(zombie)
    yield @cpu_us if block_given?
    zombie.drop(1)
  end

  # Each process that does not hang gives a sign of life.
  def beat
    @processes.each_value { |process| process.row.seen_ms = (@now * 1000).to_i if process.row && !process.hanging }
  end

  # One process does the next thing it would do.
  def step(process)
    return if process.hanging
    return die(process, process.pending) if process.pending
    return process.lobby.step(process) if process.lobby
    return announce(process) unless process.stage == :ready

    packet = process.channel.receive
    case packet
    when :empty then serve(process)
    when :closed then die(process, Status.new(0, nil))
    else obey(process, packet)
    end
  end

  def die(process, status)
    @processes.delete(process.pid)
    process.channel.close
    @zombies << [process.pid, status]
  end

  # It gets TERM, and goes on.
  def report_term(process)
    process.channel.send(Coppice::Control::Messages::SignalReceived.new(name: :TERM))
  end

  # It ends, and the kernel tells somebody else.
  def vanish(process)
    @processes.delete(process.pid)
    process.channel.close
  end

  private

  def refuse_or_go_on(error)
    return unless @refusals.positive?

    @refusals -= 1
    raise error
  end

  def born(role, channel, row)
    pid = (@last_pid += 1)
    @processes[pid] = FakeProcess.new(pid: pid, role: role, channel: channel, stage: :forked, row: row)
    pid
  end

  def announce(process)
    return learn(process) if process.row.nil?
    return die(process, Status.new(1, nil)) if process.broken

    if process.stage == :forked
      process.stage = :registered
      process.row.pid = process.pid
      process.channel.send(Coppice::Control::Messages::Registered.new(pid: process.pid))
    else
      process.stage = :ready
      measure(process) unless process.role == :observer # which cannot write to the board
      finish_audit(process)
      process.channel.send(Coppice::Control::Messages::Ready.new)
    end
  end

  def finish_audit(process)
    return if process.role != :worker || @audit_findings.empty?

    process.channel.send(Coppice::Control::Messages::AuditFinished.new(findings: @audit_findings))
  end

  def measure(process)
    row = process.row
    row.measured_ms = (@now * 1000).to_i
    @mold_kib += @mold_growth_kib if process.role == :mold
    row.anonymous_kib = row.anonymous_at_start_kib = row.rss_kib = row.pss_kib = @mold_kib
    row.private_kib = row.private_at_start_kib = 1000
    row.cpu_ms = row.cpu_at_start_ms = 10
    row.allocations = "measured"
  end

  # A moment after it was told to.
  def measure_again(process)
    process.row.measured_ms = (@now * 1000).to_i + 1 unless @deaf.include?(process.pid)
    @measured << process.pid
  end

  # A cold mold learns who it is from its first message.
  def learn(process)
    packet = process.channel.receive
    return if packet == :empty
    return die(process, Status.new(0, nil)) if packet == :closed

    process.row = @board.row(packet.message.row)
  end

  def serve(process)
    process.row.requests += 1 if process.role == :worker
  end

  def obey(process, packet)
    case message = packet.message
    when Coppice::Control::Messages::Stop, Coppice::Control::Messages::Drain then die(process, Status.new(0, nil))
    when Coppice::Control::Messages::Spawn then fork_child(process, message.role, packet)
    when Coppice::Control::Messages::Measure then measure_again(process)
    when Coppice::Control::Messages::TakeSeat then process.seat = message.seat
    end
  end

  def fork_child(process, role, packet)
    channel = packet.descriptors[:channel]
    process.row.not_fork_safe = 1 if process.refuses
    return channel.close if role == :mold && process.row.not_fork_safe == 1

    middle = @middle
    @middle = nil
    return if middle == :stuck # and so the channel never ends
    return channel.close if middle == :lost

    row = @board.row(packet.message.row)
    pid = born(role, channel, row)
    @processes[pid].seat = packet.message.seat
    @processes[pid].hanging = true if @hanging_first_request && packet.message.first_request
    fault = @faults_of_workers[row.release_number] if role == :worker
    @processes[pid][fault] = true if fault
    channel.send(Coppice::Control::Messages::Forked.new(pid: pid)) unless middle == :mute
  end
end
