# frozen_string_literal: true

require "test_helper"
require "coppice/os/process_stat"
require "json"
require "open3"
require "coppice/control/client"
require_relative "../support/server"

# The commands for a running server, said to a real one.
class ControlTest < Coppice::TestCase
  # `/hold` waits until the test writes to a named pipe; `/stopped` stops its own process.
  APP = <<~'RUBY'
    fifo = File.join(__dir__, "fifo")
    run(lambda do |env|
      case env["PATH_INFO"]
      when "/hold" then File.read(fifo)
      when "/stopped" then Process.kill(:STOP, Process.pid)
      when "/log" then env["rack.errors"].puts("from the application")
      end
      [200, { "content-type" => "text/plain" }, [Process.pid.to_s]]
    end)
  RUBY

  def serve(config = "worker_processes 2\n", &block) = Server.open(app: APP, config: config, &block)

  # Output and exit status of a command, which needs no gems.
  def coppice(*words)
    output, status = Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, "--disable=gems", Server::EXECUTABLE,
                                     *words.map(&:to_s))
    [output, status.exitstatus]
  end

  # What socat prints, as docs/operations.md has it. Without -t it waits half a second for the answer.
  def socat(server, line)
    name = Coppice::Control::Endpoint.of(server.pid).unix_path.delete_prefix("\0")
    Open3.capture2e("socat", "-t", "60", "-", "ABSTRACT-CONNECT:#{name}", stdin_data: line).first
  end

  def say(server, *words) = Coppice::Control::Client.new(pid: server.pid).call(*words.map(&:to_s))

  # Yields while one worker waits within a request; its pid and slot.
  def holding(server, path = "/hold")
    File.mkfifo(server.path("fifo"))
    client = server.connect
    client.write("GET #{path} HTTP/1.1\r\nHost: x\r\n\r\n")
    busy = server.wait { server.rows(:worker).find { |row| row.started_ms.positive? } }
    yield busy
    release(server) if path == "/hold"
    BoundedWait.read(client)
  ensure
    client&.close
  end

  # The application may be about to open the pipe.
  def release(server)
    server.wait do
      File.open(server.path("fifo"), File::WRONLY | File::NONBLOCK) { |fifo| fifo.write("go on") }
    rescue Errno::ENXIO
      nil
    end
  end

  soak_test "socat can say each line" do
    skip "socat is not installed" unless system("socat", "-V", out: File::NULL)

    serve do |server|
      assert_equal "3 workers wanted, 2 until now\nok\n", socat(server, "workers 3\n")
      assert_match(/\Aerror: say one of: status, refork,.*\n\z/, socat(server, "dance\n"))
      server.wait { server.ready_workers.size == 3 }
      server.get("/")

      assert_match(/\Arefork requested\n.*^ok\n\z/m, socat(server, "refork\n"))
    end
  end

  test "status: a page for people, the same as JSON, and the request in flight although the monitor is stopped" do
    serve do |server|
      page, status = coppice("status", "--pid", server.pid)
      processes = JSON.parse(coppice("status", "--pid", server.pid, "--json").first).fetch("processes")

      assert_equal 0, status
      assert_match(/^server +serving, generation 0, .*process #{server.pid}/, page)
      assert_match(/^workers +2 of 2 ready, 0 busy/, page)
      server.rows(:worker).each { |row| assert_match(/^worker\[#{row.nr}\] \(gen 0\) +#{row.pid} +idle/, page) }
      assert_equal server.board.rows.map(&:pid).sort, processes.map { |process| process.fetch("pid") }.sort
      assert_match(/^worker\[0\] \(gen 0\) /, say(server, "status").join("\n"))

      holding(server) do |row|
        server.signal(:STOP)

        assert_match(%r{^worker\[#{row.nr}\] .* busy .*GET /hold for \d+\.\d s$},
          coppice("status", "--pid", server.pid).first)
      ensure
        server.signal(:CONT)
      end
    end
  end

  test "refork waits for the commit, recycle replaces one worker and no other, workers changes their number" do
    serve do |server|
      server.get

      assert_equal ["refork requested\ngeneration 1 is committed; its workers replace the others now\n", 0],
        coppice("refork", "--pid", server.pid)
      assert_equal 1, server.board.generation
      server.wait { server.settled?(1) }
      assert_recycles(server)
      assert_equal ["3 workers wanted, 2 until now\n", 0], coppice("workers", "3", "--pid", server.pid)
      server.wait { server.settled?(1) && server.ready_workers.size == 3 }
    end
  end

  test "refork --wait waits until no worker of another generation is left" do
    serve do |server|
      server.get

      assert_equal ["refork requested\ngeneration 1 is committed; its workers replace the others now\n" \
                    "all workers are of generation 1 now\n", 0], coppice("refork", "--wait", "--pid", server.pid)
      assert_equal [1], server.rows(:worker).map(&:generation).uniq
    end
  end

  def assert_recycles(server)
    before = server.rows(:worker).to_h { |row| [row.nr, row.pid] }
    output, status = coppice("recycle", "1", "--pid", server.pid)
    after = server.rows(:worker).to_h { |row| [row.nr, row.pid] }

    assert_equal ["replacing worker 1 (pid #{before[1]})\nworker 1 is process #{after[1]} now\n", 0], [output, status]
    assert_equal before[0], after[0]
    refute_equal before[1], after[1]
  end

  test "commands that fail say why: refork, recycle, workers, and log-level beside a logger of the configuration" do
    serve(<<~RUBY) do |server|
      require "logger"
      logger Logger.new($stderr)
      worker_processes 1
      after_mold_fork { |_server, mold| exit!(3) if mold.generation == 1 }
    RUBY
      server.get
      abandoned = "the new mold was abandoned: it exited before it was ready: status 3, the log says why"
      logger = "the configuration has a logger of its own, and the logger a level"

      assert_equal ["refork requested\ncoppice: #{abandoned}\n", 1], coppice("refork", "--pid", server.pid)
      assert_equal ["coppice: #{logger}\n", 1], coppice("log-level", "debug", "--pid", server.pid)
      assert_equal ["coppice: there is no worker 7\n", 1], coppice("recycle", "7", "--pid", server.pid)
      assert_equal ["coppice: N is a whole number from 1 to 1024 or configured, not \"0\"\n", 2],
        coppice("workers", "0")
      assert_equal 1, server.board.workers_count
    end
  end

  # The monitor is stopped meanwhile, so it finds the worker's report and the command at the same time.
  test "a command meets a worker that has just become ready" do
    held = "fifo = File.join(__dir__, 'fifo'); File.read(fifo) if worker.nr == 1 && File.exist?(fifo)"
    serve("worker_processes 1\nafter_worker_fork { |_, worker| #{held} }") do |server|
      File.mkfifo(server.path("fifo"))
      say(server, "workers", 2)
      gate = File.open(server.path("fifo"), "w")
      pid = server.rows(:worker).find { |row| row.nr == 1 }.pid
      server.signal(:STOP)
      gate.close
      File.unlink(server.path("fifo"))
      server.wait { File.read("/proc/#{pid}/cmdline").include?("0 requests") }
      command = Thread.new { say(server, "recycle", 1) }
      server.wait { command.stop? }
      server.signal(:CONT)

      assert_equal "replacing worker 1 (pid #{pid})", BoundedWait.value_of(command).first
    end
  end

  test "stop --now ends when the server has exited" do
    serve do |server|
      assert_equal ["stopping at once\nthe server has exited\n", 0], coppice("stop", "--now", "--pid", server.pid)
      assert_predicate server, :ended?
      assert_equal 0, server.status.exitstatus
    end
  end

  test "stop ends when the server has exited, after the request in flight, and status says that the server stops" do
    serve do |server|
      stopping = nil
      holding(server) do
        stopping = Thread.new { coppice("stop", "--pid", server.pid) }
        server.wait { server.state == "stopping" } # shutting_down is noted before, when the stop begins

        assert_match(/^server +stopping/, coppice("status", "--pid", server.pid).first)
        assert_equal ["coppice: the server is stopping\n", 1], coppice("refork", "--pid", server.pid)
      end

      assert_equal ["stopping gracefully\nthe server has exited\n", 0], BoundedWait.value_of(stopping)
      assert_predicate server, :ended?
      assert_equal 0, server.status.exitstatus
    end
  end

  test "reopen-logs leaves a rotated file alone and log-level is set in every process: busy ones, those forked later" do
    serve do |server|
      File.rename(server.path("log"), server.path("log.1"))
      holding(server) do
        output, status = coppice("reopen-logs", "--pid", server.pid)
        assert_equal [0, "opened anew: #{server.path('log')}"], [status, output.lines.first.chomp]
        assert_equal 0, coppice("log-level", "debug", "--pid", server.pid).last
        say(server, "workers", 3)
      end
      server.wait { server.settled?(0) && server.ready_workers.size == 3 }
      server.get("/log")
      server.stop

      assert_match(/^from the application$/, server.log)
      %w[monitor mold].each { |role| assert_match(/level=debug role=#{role} /, server.log) }
      assert_equal %w[0 1 2], server.log.scan(/level=debug role=worker nr=(\d) .*msg="worker exits"/).flatten.sort
      refute_match(/level=debug|from the application/, File.read(server.path("log.1")))
    end
  end

  test "backtrace shows an idle worker, twice, the mold, and a worker within its request, which goes on" do
    serve do |server|
      assert_shows_idle_processes(server)
      pid = nil
      answer = holding(server) do |row|
        pid = row.pid
        place = /^main thread \(sleep\)\n  .*config\.ru:4:in .*read/
        output, status = server.wait do # until the application reads
          coppice("backtrace", row.nr, "--pid", server.pid).then { |shown| shown if shown.first.match?(place) }
        end

        assert_equal 0, status, output
        assert_match(/\Acoppice worker\[#{row.nr}\] \(gen 0\), process #{pid}, \d+ threads$/, output)
        assert_match(%r{^request in flight for \d+\.\d s: GET /hold$}, output)
        assert_match(place, output)
      end

      assert_operator answer, :end_with?, pid.to_s
    end
  end

  def assert_shows_idle_processes(server)
    2.times { assert_includes say(server, "backtrace", 0), "no request in flight" }
    mold = server.rows(:mold).first.pid
    assert_match(/\Acoppice mold \(gen 0\), process #{mold}/, say(server, "backtrace", "mold").first)
    assert_equal "there is no service", assert_raises(Coppice::Error) { say(server, "backtrace", "service") }.message
  end

  soak_test "backtrace of a worker that cannot answer shows what the kernel knows" do
    serve do |server|
      holding(server, "/stopped") do |row|
        server.wait { Coppice::OS::ProcessStat.of(row.pid).stopped? }
        lines = say(server, "backtrace", row.nr)

        assert_match(/\Aworker\[#{row.nr}\] gen=0 \(process #{row.pid}\) does not answer within 3 s/, lines.first)
        assert_match(/^  #{row.pid} .*: T \(stopped\)/, lines.join("\n"))
        Process.kill(:CONT, row.pid)
      end
    end
  end
end
