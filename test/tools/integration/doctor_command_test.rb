# frozen_string_literal: true

# lane: soak -- each test boots and forks an application three times

require "test_helper"
require_relative "../../support/login_app"
require_relative "../../support/example_shop"
require_relative "../../support/doctor_test_case"

# What `coppice doctor` says of whole applications, and how it ends.
class DoctorCommandTest < DoctorTestCase
  test "a plain application is ready" do
    status, output, = doctor(PLAIN)

    assert_equal 0, status
    assert_match(/\Aready: /, output)
    assert_match(/^not seen$/, output)
  end

  test "what the configuration and the application print goes to standard error" do
    status, output, error = doctor("puts 'booting'\n#{PLAIN}", "--json", config: "puts 'configuring'")

    assert_equal [0, "ready"], [status, JSON.parse(output)["verdict"]]
    assert_equal %w[configuring booting], error.lines(chomp: true) & %w[configuring booting]
  end

  test "the requests of the doctor are not in the access log" do
    with_tmpdir do |folder|
      status, = doctor(PLAIN, config: "access_log :json, #{File.join(folder, 'access.log').inspect}")

      assert_equal [0, []], [status, Dir.children(folder)]
    end
  end

  test "the example shop is ready" do
    status, output, error = run_doctor(ExampleShop::FOLDER, "--json", "/", env: ExampleShop::ENVIRONMENT)
    report = JSON.parse(output, symbolize_names: true)

    assert_equal [0, "ready"], [status, report[:verdict]], output + error
    assert_equal [200], report[:answers].first[:before].uniq
  end

  test "a call of no_longer_fork_safe! is told with its place, and fails with --strict only" do
    part = "def self.use = Coppice::Info.no_longer_fork_safe!"
    status, report = examine(app(part))

    assert_equal [0, "care"], [status, report[:verdict]]
    assert_equal "config.ru:#{line_of(part, 'no_longer')}", report[:no_longer_fork_safe].first[:place]
    assert_match(/1 of 3 generations/, report[:not_seen].first)
    assert_equal 1, examine(app(part), "--strict").first
  end

  test "what did not survive the fork is found in a worker that calls no_longer_fork_safe! as well" do
    app = "THREAD = Thread.new { sleep }\n#{app('def self.use = Coppice::Info.no_longer_fork_safe!')}"
    status, report = examine(app)

    assert_equal [1, "danger", []], [status, report[:verdict], report[:notes]]
    assert_equal ["missing_thread", ["worker of generation 0"]], report[:findings].first.values_at(:kind, :processes)
  end

  test "a library that needs care is listed, unless the configuration says that it is taken care of" do
    loaded = <<~'RUBY'
      Gem.loaded_specs["analytics-ruby"] = Gem::Specification.new("analytics-ruby", "2.5.0")
      module Segment
        class Analytics; end
      end
    RUBY
    _, report = examine(loaded + PLAIN)
    library = report[:libraries].find { |found| found[:name] == "analytics-ruby" }

    assert_equal ["care", "2.5.0"], [report[:verdict], library[:version]]
    assert_match(/client\.flush/, library[:advice])
    _, report = examine(loaded + PLAIN, config: "fork_safety_presets except: [:analytics_ruby]")
    assert_equal "ready", report[:verdict]
    _, report = examine("#{loaded}Coppice.at_fork(before: -> {})\n#{PLAIN}", config: "before_worker_exit { nil }")
    assert_equal "ready", report[:verdict], report
  end

  test "a library that is loaded, but not used, is told apart" do
    loaded = <<~'RUBY'
      Gem.loaded_specs["solid_queue"] = Gem::Specification.new("solid_queue", "1.7.2")
      module SolidQueue; end
    RUBY
    { [] => /.*: if you use it\n  solid_queue 1\.7\.2: `service :solid_queue/,
      ["--all"] => /.*\n  solid_queue 1\.7\.2: you must act\n    if you use it: / }.each do |options, rows|
      _, output, = doctor(loaded + PLAIN, *options)

      assert_match(/\Aready: /, output)
      assert_match(/^libraries that are loaded, but #{rows}/, output)
    end
  end

  test "a library that is not safe, and that nothing guards in this version, fails" do
    loaded = <<~RUBY
      Gem.loaded_specs["actioncable"] = Gem::Specification.new("actioncable", "9.0.0.alpha")
      module ActionCable
        module Server; Base = Class.new; end
        module Connection; Base = Class.new; end
      end
    RUBY
    status, output, = doctor(loaded + PLAIN)

    assert_equal 1, status
    assert_match(/^not safe: the library actioncable 9\.0\.0\.alpha\n  verdict: .*nothing guards it/, output)
  end

  test "what a preset says of a library is the remedy for what was found in it" do
    with_tmpdir do |folder|
      FileUtils.mkdir_p("#{folder}/gems/analytics-ruby-2.5.0")
      File.write(file = "#{folder}/gems/analytics-ruby-2.5.0/queue.rb", "QUEUE = Queue.new << :event")
      loaded = <<~RUBY
        Gem.loaded_specs["analytics-ruby"] = Gem::Specification.new("analytics-ruby", "2.5.0")
        module Segment
          class Analytics; end
        end
        load #{file.inspect}
      RUBY
      _, report = examine(loaded + PLAIN)
      finding = report[:findings].first

      assert_equal ["copied_queue", "analytics-ruby-2.5.0/queue.rb:1"], finding.values_at(:kind, :place), report
      assert_match(/\Aanalytics-ruby: .*client\.flush/, finding[:remedy])
    end
  end

  test "an application that answers no request with success is told to be little seen" do
    _, report = examine('run ->(_env) { [302, { "location" => "/login" }, []] }')

    assert_equal "ready", report[:verdict]
    assert_match(/no request was answered with success.* coppice doctor \/up/, report[:caveat])
    assert_match(/answered with 302/, report[:not_seen].first)
    _, report = examine('run ->(env) { [env["PATH_INFO"] == "/a" ? 200 : 404, {}, []] }', "/", "/a")
    refute_includes report, :caveat
  end

  test "the requests have the headers that are given" do
    app = <<~'RUBY'
      run ->(env) { [env.values_at("HTTP_COOKIE", "HTTP_ACCEPT") == ["session=1; kind=2", "a/b"] ? 200 : 401, {}, []] }
    RUBY
    _, report = examine(app, "--header", "Cookie: session=1", "--header", "accept: a/b", "--header", "Cookie: kind=2")

    assert_equal [[200] * 2, [200]], report[:answers].first.values_at(:before, :last)
    status, output, error = doctor(app, "--header", "Cookie")
    assert_equal [2, "", "coppice: --header takes 'Name: value', not \"Cookie\"\n"], [status, output, error]
  end

  test "the block of warm_up_requests logs in" do
    _, report = examine(LoginApp::RUBY, "/account", config: LoginApp::LOGGING_IN)

    assert_equal [[200] * 2, [200]], report[:answers].first.values_at(:before, :last), report
    assert_equal [401], examine(LoginApp::RUBY, "/account", "--header", "Cookie: none", config: LoginApp::LOGGING_IN)
      .last[:answers].first[:before].uniq
  end

  test "a process that dies or hangs in a hook is told" do
    hangs = "after_mold_fork { |_, mold| sleep if mold.generation == 1 }"
    dies = "after_worker_fork { |_, worker| Process.kill(:KILL, Process.pid) if worker.generation == 1 }"
    at_the_limit = Thread.new { examine(PLAIN, "--limit", "15", config: hangs) }
    status, report = examine(PLAIN, config: dies)

    assert_equal [1, "the worker of generation 1 ended: killed by SIGKILL"], [status, report[:failures].first[:message]]
    status, report = BoundedWait.value_of(at_the_limit, 120)

    assert_equal [1, "the mold of generation 1 hangs: it took longer than 15.0 s (--limit)"],
      [status, report[:failures].first[:message]]
  end

  test "a worker that ends in a request is told, also before any fork" do
    part = "def self.use = exit!(3)"
    status, report = examine(app(part))

    assert_equal [1, "unknown", "the worker of generation 0 ended with status 3 in GET /"],
      [status, report[:verdict], report[:failures].first[:message]]
    refute_match(/not found any more/, examine("Thread.new { sleep }\n#{app(part)}").last[:notes].first)
    part = "def self.use = (@pid ||= Process.pid) == Process.pid || exit!(3)"
    status, report = examine(app(part))

    assert_equal [1, "danger", "the worker of generation 1 ended with status 3 in GET /"],
      [status, report[:verdict], report[:failures].first[:message]]
  end

  test "a copy that the application forks, and that keeps the connection open, holds up nothing" do
    status, _, report = findings_of("def self.use = fork { sleep }", config: "timeout 100")

    assert_equal [0, "ready"], [status, report[:verdict]], report
  end
end
