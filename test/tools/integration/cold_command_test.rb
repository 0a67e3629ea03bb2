# frozen_string_literal: true

# lane: soak -- loads an application anew for each path

require "test_helper"
require "json"
require "open3"
require "rbconfig"
require_relative "../../support/login_app"
require_relative "../../support/example_shop"

# `coppice cold` as a person calls it.
class ColdCommandTest < Coppice::TestCase
  EXECUTABLE = File.expand_path("../../../exe/coppice", __dir__)

  LAZY = <<~'RUBY'
    puts "booting"
    module Rates
      def self.all = @all ||= Array.new(2000) { |number| "rate number #{number}" }
    end
    run(lambda do |env|
      case env["PATH_INFO"]
      when "/boom" then raise ArgumentError, "no such shelf"
      when "/hang" then sleep
      when "/third"
        File.write("plays", "x", mode: "a")
        File.size("plays") > 2 ? raise("no more") : [200, {}, []]
      when "/gone" then exit!(3)
      else
        require File.join(__dir__, "late")
        Rates.define_singleton_method(:cheap) { all.first }
        $stdout.puts "played"
        [200, { "content-type" => "text/plain" }, [Rates.cheap]]
      end
    end)
  RUBY

  HOOKS = <<~'RUBY'
    note = ->(*words) { File.write("hooks", "#{words.join(' ')}\n", mode: "a") }
    after_mold_fork { |_server, mold| note.call(:after_mold_fork, mold.generation) }
    before_fork { |_server| note.call(:before_fork) }
    after_worker_fork { |_server, worker| note.call(:after_worker_fork, worker.nr) }
    after_worker_ready { |_server, worker| note.call(:after_worker_ready, worker.generation) }
  RUBY

  test "of a path that fails only while it is watched there is the failure alone" do
    status, output = cold("/third", "--json")
    path = JSON.parse(output).first

    assert_equal [1, "no more (RuntimeError)"], [status, path.dig("failure", "message")]
    assert_nil path["times"]
  end

  test "one lazy path, for a person" do
    status, output = cold("/lazy")

    assert_equal 0, status
    assert_match(/^GET \/lazy  200$/, output)
    assert_match(/^  files loaded +1\n    late\.rb$/, output)
    assert_match(/^ +1  Rates\.cheap  config\.ru:\d+$/, output)
    assert_match(/^ +\d+\.\d KiB  Rates\.@all  config\.ru:2$/, output)
    assert_match(/^ +\d+\.\d KiB +200\d  config\.ru:3  String$/, output)
    assert_match(/fill at boot Rates\.@all/, output)
  end

  test "in a terminal, what the application prints stands above the report" do
    seen = in_folder do |folder|
      Open3.capture2e({ "RACK_ENV" => "test" }, RbConfig.ruby, EXECUTABLE, "cold", "/1", "/2", chdir: folder).first
    end
    printed, report = seen.split(/(?=^config\.ru, RACK_ENV)/)

    assert_equal [8, 0], [printed, report].map { |text| text.scan(/^played$/).size }
    assert_equal %w[/1 /2], report.scan(/^GET (\S+)  200$/).flatten
  end

  test "each path begins anew, and one that fails spoils no other one" do
    status, output = cold("--json", "/lazy", "/boom", "/gone", "/", "--timeout", "30")
    first, boom, gone, last = JSON.parse(output)

    assert_equal 1, status
    assert_equal [["late.rb"]] * 2, [first, last].map { |found| found["files"].map { |path| File.basename(path) } }
    assert_equal "no such shelf (ArgumentError)", boom["failure"]["message"]
    assert_match(/config\.ru:7/, boom["failure"]["backtrace"].first)
    assert_equal "its process ended: status 3", gone["failure"]["message"]
  end

  soak_test "a path that hangs is ended by the option timeout" do
    status, output = cold("/hang", "--timeout", "6") # seconds: by then it hangs, also on a busy machine

    assert_equal 1, status
    assert_match(/failed: took longer than timeout \(6 s\)\n.*config\.ru:8/, output)
  end

  test "the hooks are called as in a mold and in its workers" do
    in_folder do |folder|
      run_cold(folder, "/lazy")

      assert_equal ["after_mold_fork 0", *["before_fork", "after_worker_fork 0", "after_worker_ready 0"] * 2],
        File.readlines(File.join(folder, "hooks"), chomp: true)
    end
  end

  test "the requests have the headers that are given" do
    app = 'run ->(env) { [env["HTTP_COOKIE"] == "session=1" ? 200 : 401, {}, []] }'
    _, output = in_folder(app) { |folder| run_cold(folder, "--json", "--header", "Cookie: session=1") }

    assert_equal 200, JSON.parse(output).first["status"]
    assert_equal 2, cold("--header", "Cookie").first
  end

  test "the block of warm_up_requests logs in, and one that fails is told" do
    { LoginApp::LOGGING_IN => [200, ""], "warm_up_requests { |_client| raise 'no' }" => [401, "no cookies are sent"] }
      .each do |config, (expected, told)|
        _, output, error = in_folder(LoginApp::RUBY) do |folder|
          File.write(File.join(folder, "hooks.rb"), config)
          run_cold(folder, "--json", "/account")
        end

        assert_equal expected, JSON.parse(output).first["status"], error
        assert_includes error, told
      end
  end

  test "an application that cannot be loaded" do
    status, output, error = in_folder("raise ArgumentError, 'no database'") { |folder| run_cold(folder) }

    assert_equal [1, ""], [status, output]
    assert_match(/no database.*config\.ru:1/m, error)
  end

  hang = "File.write('begun', '') && sleep"
  { "the application loads" => hang, "a path is played" => "run ->(_env) { #{hang} }" }.each do |state, app|
    test "an interrupt while #{state} ends it in one line" do
      in_folder(app) do |folder|
        error = File.join(folder, "error")
        command = [RbConfig.ruby, EXECUTABLE, "cold"]
        pid = Process.spawn(*command, chdir: folder, err: error, out: File::NULL, pgroup: true)
        eventually { File.exist?(File.join(folder, "begun")) }
        Process.kill(:INT, -pid)

        assert_equal 130, BoundedWait.status_of(pid).exitstatus
        assert_equal "coppice: interrupted\n", File.read(error)
      end
    end
  end

  test "the example shop: templates, attribute methods and its lazy books" do
    status, output, error = run_cold(ExampleShop::FOLDER, "--json", "/", env: ExampleShop::ENVIRONMENT)

    assert_equal 0, status, error
    found = JSON.parse(output).first
    assert_includes found["templates"], "#{ExampleShop::FOLDER}/app/views/home/show.html.erb"
    assert_includes found["memos"].map { |memo| memo["name"] }, "ReferenceBooks.@calendar"
    assert_includes found["defined_methods"].flat_map { |group| group["names"] }, "catalogue"
    assert_operator found["memory"].first.values.sum, :>, found["memory"].last.values.sum
  end

  private

  def cold(*words)
    in_folder { |folder| run_cold(folder, *words) }.first(2)
  end

  def in_folder(app = LAZY)
    with_tmpdir do |folder|
      texts = { "config.ru" => app, "late.rb" => "module Late; end\n", "hooks.rb" => HOOKS }
      texts.each { |name, text| File.write(File.join(folder, name), text) }
      yield folder
    end
  end

  # Status, standard output and standard error.
  def run_cold(folder, *words, env: {})
    config = File.exist?(File.join(folder, "hooks.rb")) ? %w[-c hooks.rb] : []
    command = [RbConfig.ruby, EXECUTABLE, "cold", *config, *words]
    output, error, status = Open3.capture3({ "RACK_ENV" => "production" }.merge(env), *command, chdir: folder)
    [status.exitstatus, output, error]
  end
end
