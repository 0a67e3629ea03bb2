# frozen_string_literal: true

require "test_helper"
require "json"
require "coppice/control/client"
require_relative "../support/gate"
require_relative "../support/server"

# Servers that warm up before anybody can reach them.
class WarmUpTest < Coppice::TestCase
  # Answers who it is, and whether it knew the path already. Puts down who boots it, and what it is asked for.
  APP = <<~RUBY.freeze
    require "json"
    KNOWN = {}
    File.write("boots", "\#{Process.pid}\\n", mode: "a")
    run(lambda do |env|
      path = env["PATH_INFO"]
      File.write("asked", "\#{path}\\n", mode: "a") if env["coppice.warm_up"]
      raise "broken" if path == "/broken"

      #{Gate.code('gate')} if path == "/gate"
      facts = { generation: env["coppice.worker"].generation, known: KNOWN.key?(path), warm_up: env["coppice.warm_up"] }
      KNOWN[path] = true
      [200, { "content-type" => "application/json" }, [JSON.generate(facts)]]
    end)
  RUBY

  test "who serves knows everything already, from the first request on, though a path fails" do
    warm('"/broken", "/", "/other"') do |server|
      settle(server, 1)
      answers = %w[/ /other /].map { |path| facts(server, path) }

      assert_equal [{ "generation" => 1, "known" => true, "warm_up" => nil }], answers.uniq
      refute facts(server, "/new").fetch("known")
      assert_equal %w[/broken / /other], lines(server, "asked").uniq
    end
  end

  test "clients are served meanwhile, by one worker; the others are children of the one that is warmed up" do
    warm('"/gate"') do |server|
      held(server) do
        assert_equal 0, facts(server).fetch("generation")
        assert_equal [0], server.ready_workers.map(&:nr)
      end
      settle(server, 1)

      assert facts(server, "/gate").fetch("known")
    end
  end

  test "each worker asks itself for the first path once before it is ready, and that is no request of a client" do
    app = <<~RUBY
      run(lambda do |env|
        File.write("asked", "\#{Process.pid} \#{env['PATH_INFO']}\\n", mode: "a") if env["coppice.warm_up"]
        [200, {}, []]
      end)
    RUBY
    start('warm_up_requests "/first", "/second"', app: app) do |server|
      settle(server, 1)
      workers = server.ready_workers
      asked = workers.map { |row| lines(server, "asked").grep(/\A#{row.pid} /) }

      assert_equal(workers.map { |row| ["#{row.pid} /first"] }, asked)
      assert_equal [0, 0], workers.map(&:requests)
    end
  end

  # By whichever limit they are ended, the next ones do not ask.
  { "timeout 1, cleanup: 1" => :test, "spawn_timeout 2" => :soak_test }.each do |limit, kind|
    public_send(kind, "workers that hang in what they ask themselves for are not fatal, with #{limit}") do
      app = <<~RUBY
        run(lambda do |env|
          #{Gate.code('gate')} if env["coppice.warm_up"] && env["coppice.worker"].generation == 1
          [200, {}, []]
        end)
      RUBY
      start("warm_up_requests '/'\n#{limit}", app: app) do |server|
        Gate.new(server.path("gate")).closed do
          settle(server, 0)

          assert(server.wait { served?(server) })
        end
      end
    end
  end

  test "a block is given a client, and an upload that is refused does not hold the start" do
    block = <<~RUBY
      max_body_bytes 1000
      warm_up_requests do |client|
        bodies = ["a=1", "x" * (2 << 20)]
        File.write("statuses", bodies.map { |body| client.request("POST", "/cart", {}, body) }.join(" "))
      end
    RUBY
    start(block) do |server|
      settle(server, 1)

      assert_equal ["200 413"], lines(server, "statuses")
      assert facts(server, "/cart").fetch("known")
    end
  end

  soak_test "the paths that clients request most warm the next server" do
    with_tmpdir do |folder|
      start("warm_up_requests :learned", folder: folder) do |server|
        settle(server, 0)
        20.times { %w[/often /log_in /orders/7 /x?q=1].each { |path| server.get(path) } }
        server.get("/once")
      end
      start("warm_up_requests :learned", folder: folder) do |server|
        settle(server, 1)

        assert facts(server, "/often").fetch("known")
        refute facts(server, "/once").fetch("known")
      end

      assert_equal ["/often"], File.readlines("#{folder}/asked", chomp: true).uniq
    end
  end

  soak_test "the list may be longer than any message between two processes" do
    paths = Array.new(20) { |index| "/#{index}/#{'x' * 14_000}" }
    app = <<~'RUBY'
      run(lambda do |env|
        File.write("asked", "#{env['PATH_INFO'][/\d+/]}\n", mode: "a")
        [200, {}, []]
      end)
    RUBY
    warm(paths.map(&:inspect).join(", "), app: app) do |server|
      settle(server, 1)

      assert_equal [*"0".."19"], lines(server, "asked").first(20)
    end
  end

  soak_test "a path that hangs is not fatal: the application is served cold" do
    warm('"/gate"', "timeout 6, cleanup: 1") do |server|
      held(server) { settle(server, 0) }

      assert_equal({ "generation" => 0, "known" => false, "warm_up" => nil }, facts(server))
    end
  end

  test "a worker that is killed while it is warmed up is not fatal" do
    warm('"/gate"', "max_consecutive_spawn_errors 1") do |server|
      held(server) { |row| server.signal(:KILL, to: row.pid) && settle(server, 0) }

      assert_equal 0, facts(server).fetch("generation")
      assert_equal 1, lines(server, "boots").size
    end
  end

  test "when its mold is killed, the worker that serves takes its place, and another one is warmed up" do
    warm('"/gate"') do |server|
      held(server) do
        mold = server.rows(:mold).first.pid
        server.signal(:KILL, to: mold)
        server.wait { server.rows(:mold).any? { |row| row.ready? && row.pid != mold } }
      end
      settle(server, 1)

      assert facts(server, "/gate").fetch("known")
    end
  end

  soak_test "a worker more that is wanted meanwhile comes with the others" do
    warm('"/gate"') do |server|
      held(server) do
        server.signal(:TTIN)
        server.wait { server.board.workers_count == 3 }
      end
      settle(server, 1)

      assert_equal [0, 1, 2], server.ready_workers.map(&:nr).sort
    end
  end

  test "a stop that comes meanwhile waits for no further path" do
    warm('"/gate", "/late"') do |server|
      held(server) do
        server.signal(:TERM)
        server.wait { server.rows(:mold).empty? } # told after the worker
      end

      assert_equal 0, server.wait_for_end.exitstatus
      assert_equal ["/gate"], lines(server, "asked")
    end
  end

  soak_test "log files that are opened anew meanwhile end no warm-up" do
    warm('"/gate", "/late"') do |server|
      held(server) { Coppice::Control::Client.new(pid: server.pid).call("reopen-logs") }
      settle(server, 1)

      assert_includes lines(server, "asked"), "/late"
    end
  end

  soak_test "a block that raises or exits is not fatal" do
    { "raise 'no'" => 1, "exit" => 0 }.each do |action, generation|
      start("warm_up_requests { |_client| #{action} }") do |server|
        settle(server, generation)

        assert_equal generation, facts(server).fetch("generation")
      end
    end
  end

  soak_test "a server in another directory is warmed up with the paths of one before, also beside one that serves" do
    in_folders(3) do |old, beside, fresh|
      config = "warm_up_requests :learned, wait: true\nstate_directory \"#{old}/state\""
      start(config, folder: old) { |server| learn(server, "/often") }
      start(config, folder: old) do |server|
        learn(server, "/now")
        start(config, folder: beside) { |other| learn(other, "/beside") }
      end
      start(config, folder: fresh) do |server|
        settle(server, 1)

        assert_equal %w[/often /now], %w[/often /now].select { |path| facts(server, path).fetch("known") }
      end
    end
  end

  private

  def in_folders(count, &block)
    with_tmpdir do |folder|
      block.call(*Array.new(count) { |number| "#{folder}/#{number}".tap { |path| Dir.mkdir(path) } })
    end
  end

  # Lets it count a path often enough.
  def learn(server, path)
    server.wait(60, "a first answer") { server.serving? }
    40.times { server.get(path) }
  end

  # With two workers, and before they are ready.
  def start(config, app: APP, **options, &block)
    Server.open(app: app, config: "worker_processes 2\ngc_profile :ruby\n#{config}", ready: false, **options, &block)
  end

  def warm(paths, config = "", app: APP, &block) = start("warm_up_requests #{paths}\n#{config}", app: app, &block)

  # Yields the worker that is warmed up, which is in its first request and stays there.
  def held(server)
    Gate.new(server.path("gate")).closed do
      rehearsal = server.wait(60, "the first request") { server.rows(:worker).find { |row| row.started_ms.positive? } }
      yield rehearsal
    end
  end

  # Waits until everybody is of this generation, and can be reached.
  def settle(server, generation)
    server.wait(60, "generation #{generation}") { server.board && server.settled?(generation) && server.serving? }
  end

  # On a busy machine also a request that does nothing may take longer than a short timeout: then its client asks again.
  def served?(server)
    server.get.status == 200
  rescue EOFError, SystemCallError
    false
  end

  def facts(server, path = "/") = JSON.parse(server.get(path).body)

  def lines(server, name) = File.exist?(server.path(name)) ? File.readlines(server.path(name), chomp: true) : []
end
