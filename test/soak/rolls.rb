# frozen_string_literal: true

require "open3"
require_relative "../support/process_descriptors"
require_relative "../support/process_memory"
require_relative "../support/releases"
require_relative "support/lobby_soak"
require_relative "support/shop_releases"
require_relative "support/versions"

# Up to 100 rolls and 20 rollbacks of the example shop, one after the other, each roll to a new directory with a new
# version, while clients read pages, some on connections that they keep, some on new ones. No request may fail. Once a
# rollout is finished, no answer may be of another version. In the end the monitor must have as many descriptors as at
# the start.
class RollsSoak < LobbySoak
  include Releases

  CYCLE = %i[roll roll rollback roll roll roll].freeze
  STEPS = 120
  CLIENTS = { true => 6, false => 2 }.freeze # whether they keep their connections => number
  PAUSE = 0.2 # seconds between an answer and the client's next request
  IDLE = 100
  # Seconds for a boot: beside other programs and these clients one took 55, and the next more than 120.
  BOOT_SECONDS = 600
  SHOP = <<~RUBY.freeze
    #{LIMITS.chomp}
    worker_processes 3
    boot_timeout #{BOOT_SECONDS}
  RUBY
  SHORT_CANARY = "canary_requests 20\ncanary_time 1"
  USUAL_CANARY = "canary_requests 200\ncanary_time 10" # of each tenth roll
  # KiB by which the monitor may grow after the first cycle: Ruby's heap and the C library keep freed memory.
  GROWTH = 4096

  def play
    Dir.mktmpdir("coppice-soak-") do |folder|
      @releases = ShopReleases.new(folder)
      @versions = Versions.new("v0")
      @history = ["v0"]
      InReleases.open(app: nil, folder: make("v0", 0), socket: @releases.socket, env: ExampleShop::ENVIRONMENT,
                      boot_seconds: BOOT_SECONDS) do |it|
        @server = it
        load_while { play_steps }
        stop(@server)
      end
    end
  end

  private

  def make(version, step)
    canary = (step % 10) == 4 ? USUAL_CANARY : SHORT_CANARY
    @releases.make(version, config: "#{SHOP}#{canary}\nrollback_window #{kept_seconds(step)}\n")
  end

  # In every second cycle, and after the last step, no mold is kept. So the rollback boots the release before.
  def kept_seconds(step) = step < STEPS && (step / CYCLE.size).even? ? 600 : 0

  def load_while
    idle = Array.new(IDLE) { client.tap(&:ask) }
    kept, fresh = CLIENTS.map do |keep, count|
      KeptAliveClients.new(@server, clients: count, keep: keep, pause: PAUSE) { client }
    end
    steps = kept.during { fresh.during { yield } }
    judge({ "kept" => kept, "new" => fresh }, steps, lost(idle))
  end

  def client = VersionClient.new(@server, @versions)

  # How often each kind was played.
  def play_steps
    deadline = now + @seconds
    start = descriptors
    early = nil
    played = Hash.new(0)
    STEPS.times do |number|
      break unless now < deadline && @problems.empty?

      early = memory if number == CYCLE.size
      played[kind(number)] += 1 if step(number)
    end
    compare(start, early) if @problems.empty? && step(STEPS)
    played
  end

  def kind(number) = number == STEPS ? :roll : CYCLE[number % CYCLE.size]

  def step(number)
    before = @history.last
    kind(number) == :roll ? @history.push("v#{number + 1}") : @history.pop
    version = @history.last
    @versions.allow(before, version)
    words = kind(number) == :roll ? ["roll", make(version, number)] : ["rollback"]
    output, status = coppice(@server, *words)
    unless status.success?
      problem("step #{number}, #{words.first} to #{version}:\n#{output}")
      return false
    end

    @server.wait(PATIENCE, "rollout of #{version}") { rolled_out? }
    @versions.allow(version)
    true
  end

  # All processes are of the release that is committed; the mold of the one before may be there.
  def rolled_out?
    board = @server.board
    workers = @server.rows(:worker)
    @server.ready_workers.size == board.workers_count && workers.size == board.workers_count &&
      workers.all? { |row| row.release_number == board.release_number }
  end

  # Where the monitor's descriptors lead, but not the numbers of sockets and pipes.
  def descriptors = ProcessDescriptors.links(@server.monitor_pid).map { |link| link.sub(/:\[\d+\]/, "") }.tally

  def memory = ProcessMemory.unnamed_kib(@server.monitor_pid)

  def compare(start, early)
    last = nil
    begin
      @server.wait(PATIENCE) { (last = descriptors).values.sum <= start.values.sum }
    rescue RuntimeError => error
      problem("#{error.message}: the monitor has #{last}, before #{start}")
    end
    puts "monitor: #{start.values.sum} descriptors, then #{last.values.sum}; " \
         "#{early || '-'} KiB after a cycle, then #{memory}"
    problem("the monitor has grown from #{early} to #{memory} KiB") if early && memory > early + GROWTH
  end

  def judge(loads, steps, lost_idle)
    loads.each do |name, clients|
      failures = clients.failures
      puts "#{name} connections: #{clients.answers} requests, #{failures.size} failed; " \
           "p99 #{clients.p99_ms.round(1)} ms"
      problem("#{name} connections: requests failed: #{failures.tally}") if failures.any?
    end
    puts "#{steps.values.sum} of #{STEPS} steps, #{steps}; #{lost_idle} of #{IDLE} idle connections lost"
    problem("#{lost_idle} idle connections were lost") if lost_idle.positive?
    @server.show_log if @problems.any?
  end
end

RollsSoak.main(1200)
