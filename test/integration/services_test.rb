# frozen_string_literal: true

# lane: soak -- services that hang, and exits that are waited for

require "test_helper"
require "coppice/os/process_stat"
require "coppice/control/client"
require "coppice/control/status_page"
require "coppice/observer/metrics"
require "coppice/stats"
require_relative "../support/server"

# Service processes of a real server.
class ServicesTest < Coppice::TestCase
  APP = 'run ->(_env) { [200, { "content-type" => "text/plain" }, [Process.pid.to_s]] }'

  # The block of a service: notes that it has begun, and how it ends.
  JOBS = <<~'RUBY'
    worker_processes 1
    after_worker_fork { |_server, worker| File.write("forked.#{Process.pid}", worker.nr.inspect) }
    service :jobs, survives_reforks: SURVIVES do |server, service|
      File.write("began.#{service.pid}", "#{server.worker_processes} #{service.name} #{service.nr.inspect}")
      sleep
    ensure
      File.write("ended.#{service.pid}", "")
    end
  RUBY

  def jobs(survives: false) = JOBS.sub("SURVIVES", survives.to_s)

  def services(server, name = "jobs")
    server.rows(:service).select { |row| row.ready? && row.service_name == name }
  end

  # The pid of a service that is another process than this one.
  def service(server, name = "jobs", other_than: nil)
    server.wait(60, "service #{name}") do
      services(server, name).map(&:pid).find { |pid| pid != other_than }
    end
  end

  def gone?(pid)
    stat = Coppice::OS::ProcessStat.of(pid)
    stat.nil? || stat.zombie?
  end

  test "a service runs its block, with the hooks of a worker before it, and TERM ends the block" do
    Server.open(app: APP, config: jobs) do |server|
      pid = service(server)
      server.wait { File.size?(server.path("began.#{pid}")) }

      assert_equal "1 jobs nil", File.read(server.path("began.#{pid}"))
      assert_equal "nil", File.read(server.path("forked.#{pid}"))
      assert_match(/\Acoppice service\[jobs\] \(gen 0\)/, File.read("/proc/#{pid}/cmdline"))
      assert_equal 0, server.stop.exitstatus
      assert_path_exists server.path("ended.#{pid}")
    end
  end

  test "a service whose block has closed all its IOs gets TERM" do
    closing = "ObjectSpace.each_object(IO) { |io| io.close unless io.closed? || io.fileno < 3 }"
    Server.open(app: APP, config: jobs.sub(/^  sleep$/, "#{closing}\nsleep")) do |server|
      server.wait { Dir[server.path("ended.*")].any? }

      assert_match(/level=error .*role=service .*must not close descriptors/, server.log)
    end
  end

  test "a service is replaced after a refork, and never two of it run at once" do
    config = jobs.sub("sleep\n", <<~RUBY)
      File.open("lock", "w").flock(File::LOCK_EX | File::LOCK_NB) or File.write("two", "")
      sleep
    RUBY
    Server.open(app: APP, config: config) do |server|
      first = service(server)
      server.wait { File.exist?(server.path("began.#{first}")) } # TERM before that ends it without its block
      server.signal(:USR2)
      second = service(server, other_than: first)
      server.wait { File.exist?(server.path("began.#{second}")) }

      assert_equal 1, services(server).first.generation
      assert_path_exists server.path("ended.#{first}")
      refute_path_exists server.path("two")
    end
  end

  test "a service that survives reforks is the same over two generations; once killed, it is forked from the last" do
    Server.open(app: APP, config: jobs(survives: true)) do |server|
      first = service(server)
      (1..2).each do |generation|
        server.signal(:USR2)
        server.wait { server.settled?(generation) }
      end

      assert_equal [[first, 0]], services(server).map { |row| [row.pid, row.generation] }
      server.signal(:KILL, to: first)
      service(server, other_than: first)

      assert_equal 2, services(server).first.generation
    end
  end

  test "a service that raises, exits or returns is forked again, and its exit is reported" do
    config = <<~'RUBY'
      worker_processes 1
      service(:raises) { raise "no such queue" }
      service(:exits) { exit 3 }
      service(:returns) { nil }
    RUBY
    Server.open(app: APP, config: config) do |server|
      stats = Coppice::Stats.new(server.board)
      seen = {}
      server.wait(60, "exits") do
        stats.to_h[:recent_exits].each { |exit| seen[exit[:name]] = exit.values_at(:role, :cause, :status) }
        seen.size == 3
      end

      assert_equal({ "raises" => ["service", "failed", 1], "exits" => ["service", "failed", 3],
                     "returns" => ["service", "exited_by_itself", 0] }, seen)
      assert_equal 200, server.get.status
      assert_equal(%w[raises exits returns], stats.to_h[:services].map { |one| one[:name] })
    end
  end

  test "a service has its name in the figures, and its memory, while it runs and while it does not" do
    gate = "sleep unless File.exist?('closed')"
    Server.open(app: APP, config: "worker_processes 1\nservice(:jobs) { #{gate} }") do |server|
      pid = service(server)
      stats = Coppice::Stats.new(server.board, measure_guests: true)
      entry = stats.to_h[:processes].find { |process| process[:role] == "service" }

      assert_equal [{ name: "jobs", ready: true, pid: pid, generation: 0 }], stats.to_h[:services]
      assert_equal ["jobs", pid, "idle"], entry.values_at(:name, :pid, :state)
      assert_operator entry[:pss], :>, 0
      assert_includes Coppice::Control::StatusPage.new(stats.to_h).lines.join("\n"), "service[jobs] (gen 0)"
      assert_equal [[{ service: "jobs" }, 1]], ready_metric(stats.to_h)
      File.write(server.path("closed"), "")
      server.signal(:KILL, to: pid)
      server.wait { stats.to_h[:services] == [{ name: "jobs", ready: false, pid: nil, generation: nil }] }

      missing = stats.to_h.merge(services: [{ name: "jobs", ready: false }])

      assert_equal [[{ service: "jobs" }, 0]], ready_metric(missing)
    end
  end

  def ready_metric(stats)
    Coppice::Observer::METRICS.find { |metric| metric.name == :coppice_service_ready }.samples(stats)
  end

  test "what a service has forked is killed when it ends" do
    config = <<~'RUBY'
      worker_processes 1
      service :jobs do
        child = fork do
          trap(:TERM) { nil }
          sleep
        end
        File.write("child.#{Process.pid}", child.to_s)
        sleep
      end
    RUBY
    Server.open(app: APP, config: config) do |server|
      first = service(server)
      child = child_of(server, first)

      refute gone?(child)
      server.signal(:KILL, to: first)
      server.wait { gone?(child) }
      second = service(server, other_than: first)
      child = child_of(server, second)
      server.stop

      eventually { gone?(child) } # it was sent KILL
    end
  end

  def child_of(server, pid)
    file = server.path("child.#{pid}")
    server.wait { File.size?(file) && File.read(file).to_i }
  end

  test "a service that ignores TERM is killed after its own timeout" do
    config = <<~'RUBY'
      worker_processes 1
      timeout 60
      service :jobs, timeout: 6 do # it has long to hear the signal
        trap(:TERM) { File.write("heard", "") }
        File.write("deaf", "")
        loop { sleep }
      end
    RUBY
    Server.open(app: APP, config: config) do |server|
      server.wait { File.exist?(server.path("deaf")) }
      stats = Coppice::Stats.new(server.board)
      server.signal(:USR2)
      server.wait { stats.to_h[:recent_exits].any? { |exit| exit.values_at(:name, :cause) == %w[jobs stop_timeout] } }

      assert_path_exists server.path("heard")
    end
  end

  test "the monitor of a service dies, and the service ends with its children" do
    config = <<~'RUBY'
      worker_processes 1
      service :jobs do
        child = fork { sleep }
        File.write("pids", "#{Process.pid} #{child}")
        sleep
      ensure
        File.write("ended", "")
      end
    RUBY
    Server.open(app: APP, config: config) do |server|
      pids = server.wait { File.size?(server.path("pids")) && File.read(server.path("pids")).split.map(&:to_i) }
      server.signal(:KILL)
      server.wait_for_end
      eventually(60, "a process outlives the monitor") { pids.all? { |pid| gone?(pid) } }

      assert_path_exists server.path("ended")
    end
  end

  test "the monitor of a service dies, and a child of the service that ignores TERM is killed" do
    config = <<~'RUBY'
      worker_processes 1
      service :jobs, timeout: 2 do
        child = fork do
          trap(:TERM, "IGNORE")
          File.write("child.#{Process.ppid}", Process.pid.to_s)
          sleep
        end
        sleep
      end
    RUBY
    Server.open(app: APP, config: config) do |server|
      pid = service(server)
      pids = [pid, child_of(server, pid)]
      server.signal(:KILL)
      server.wait_for_end

      eventually(60, "a process outlives the monitor") { pids.all? { |one| gone?(one) } }
    end
  end

  test "a service has no listener, nor have the processes that it forks, also once the mold is warm" do
    config = <<~'RUBY'
      worker_processes 1
      service :jobs do
        listening = File.readlines("/proc/net/unix").map(&:split).select { |fields| fields[3] == "00010000" }.map { |fields| fields[6] }
        list = ->() { Dir["/proc/self/fd/*"].filter_map { |fd| File.readlink(fd)[/socket:\[(\d+)\]/, 1] rescue SystemCallError } & listening }
        fork { File.write("child.#{Process.pid}", list.call.inspect); exit!(0) }
        Process.wait
        File.write("listeners.#{Process.pid}", list.call.inspect)
        sleep
      end
    RUBY
    Server.open(app: APP, config: config) do |server|
      first = service(server)
      server.wait { File.size?(server.path("listeners.#{first}")) } # else TERM ends it before it has written all
      server.signal(:USR2)
      second = service(server, other_than: first)
      server.wait { File.size?(server.path("listeners.#{second}")) }

      assert_equal ["[]"], Dir[server.path("{listeners,child}.*")].map { |file| File.read(file) }.uniq
    end
  end

  test "a service that has forked may replace itself by another program, which gets TERM" do
    block = "{ fork { sleep }; exec('sleep', '1000') }"
    Server.open(app: APP, config: "worker_processes 1\nservice(:program) #{block}") do |server|
      pid = service(server, "program")
      server.wait { File.read("/proc/#{pid}/cmdline").start_with?("sleep\0") }
      server.signal(:USR2)
      service(server, "program", other_than: pid)
      exit = Coppice::Stats.new(server.board).to_h[:recent_exits].find { |one| one[:pid] == pid }

      assert_equal %w[asked TERM], exit.values_at(:cause, :signal)
    end
  end

  test "the threads of a service are shown while its block runs" do
    Server.open(app: APP, config: jobs) do |server|
      pid = service(server)
      server.wait { File.exist?(server.path("began.#{pid}")) }
      lines = server.wait do # it may be about to sleep
        found = Coppice::Control::Client.new(pid: server.pid).call("backtrace", "jobs")
        found if found.any? { |line| line.include?("sleep") }
      end

      assert_match(/coppice service\[jobs\]/, lines.first)
    end
  end
end
