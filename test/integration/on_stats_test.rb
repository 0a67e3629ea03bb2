# frozen_string_literal: true

# lane: soak -- intervals of real time

require "json"
require "test_helper"
require_relative "../support/releases"
require_relative "../support/server"
require_relative "../support/without_bundler"

# The hook on_stats, in an observer that may have nothing else to do.
class OnStatsTest < Coppice::TestCase
  include Releases

  APP = 'run ->(_env) { [200, { "content-type" => "text/plain" }, ["served"]] }'
  # Each call writes a whole new file.
  WRITE = "%w[new stats].map { |name| File.join(__dir__, name) }" \
          ".then { |new, stats| File.write(new, text) && File.rename(new, stats) }"

  # What the hook has last written, as soon as the block wants it.
  def written(server)
    server.wait do
      text = File.exist?(server.path("stats")) ? File.read(server.path("stats")) : nil
      text if text && yield(text)
    end
  end

  def serve(hook, **options, &block)
    Server.open(app: APP, config: "worker_processes 2\non_stats(every: 0.1) { |stats| #{hook} }", **options, &block)
  end

  test "it is called with the server's stats, without admin_listen" do
    serve("require 'json'; text = JSON.generate(stats); #{WRITE}") do |server|
      3.times { server.get }
      text = written(server) { |json| JSON.parse(json).dig("totals", "requests") == 3 }

      assert_equal 2, JSON.parse(text).dig("server", "workers_ready")
    end
  end

  test "an exception, or even an exit, costs no more than this call" do
    ["raise ScriptError", "exit 3"].each do |failure|
      hook = "@calls = @calls.to_i + 1; #{failure} if @calls < 3; text = [@calls, Process.pid].join(' '); #{WRITE}"
      serve(hook) do |server|
        text = written(server) { |calls| calls.to_i >= 3 }

        assert_equal server.rows(:observer).map(&:pid), [text.split.last.to_i]
        assert_equal 200, server.get.status
      end
    end
  end

  test "a call that takes long delays neither health checks nor requests" do
    hook = "File.write(File.join(__dir__, 'begun'), ''); Queue.new.pop"
    config = "worker_processes 2\nadmin_listen File.join(__dir__, 'admin')\non_stats(every: 0.1) { #{hook} }"
    Server.open(app: APP, config: config) do |server|
      server.wait { File.exist?(server.path("begun")) }
      admin = UNIXSocket.new(server.path("admin"))
      admin.write("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")

      assert_match(/ 200 /, admin.gets)
      assert_equal [200, 0], [server.get.status, server.stop.exitstatus]
    ensure
      admin&.close
    end
  end

  test "a gem of the application's bundle can be required in it" do
    with_tmpdir do |folder|
      write_gem("#{folder}/own_statsd")
      File.write("#{folder}/Gemfile", "gem 'rack', '#{Gem.loaded_specs.fetch("rack").version}'\n" \
                                      "gem 'own_statsd', path: 'own_statsd'\n")
      bundle = { **WITHOUT_BUNDLER, "BUNDLE_GEMFILE" => "#{folder}/Gemfile", "BUNDLE_FROZEN" => "false" }
      serve("require 'own_statsd'; text = OwnStatsd.name; #{WRITE}", env: bundle) do |server|
        assert_equal "OwnStatsd", written(server) { true }
      end
    end
  end

  test "the bundle may have another version of a gem that the observer itself uses" do
    with_tmpdir do |folder|
      write_gem("#{folder}/json", version: "99.0", text: "load \"\#{RbConfig::CONFIG[\"rubylibdir\"]}/json.rb\"")
      File.write("#{folder}/Gemfile", "gem 'rack', '#{Gem.loaded_specs.fetch("rack").version}'\n" \
                                      "gem 'json', path: 'json'\n")
      bundle = { **WITHOUT_BUNDLER, "BUNDLE_GEMFILE" => "#{folder}/Gemfile", "BUNDLE_FROZEN" => "false" }
      serve("require 'json'; text = Gem.loaded_specs['json'].version.to_s; #{WRITE}", env: bundle) do |server|
        assert_equal "99.0", written(server) { true }
      end
    end
  end

  test "a roll brings the hook of the new release, with its interval, while admin_listen stays open" do
    admin = "canary false\nadmin_listen File.expand_path('../../admin', __dir__)"
    configs = { one: admin, two: "#{admin}\non_stats(every: 0.1) { |stats| text = 'two'; #{WRITE} }" }
    with_releases(:one, :two, configs: configs) do |server, directories|
      socket = File.stat(File.join(File.dirname(directories[:one]), "admin")).ino
      assert_rolled(server, "roll", directories[:two], release: 2)
      server.wait { File.exist?(File.join(directories[:two], "config/stats")) }

      assert_equal socket, File.stat(File.join(File.dirname(directories[:one]), "admin")).ino
    end
  end

  test "a configuration that has become wrong is reported, and service goes on" do
    serve("text = 'called'; #{WRITE}") do |server|
      first = server.wait { server.rows(:observer).find(&:ready?) }.pid
      File.write(server.path("coppice.conf.rb"), "nonsense")
      server.signal(:KILL, to: first)
      server.wait { server.rows(:observer).any? { |row| row.ready? && row.pid != first } }

      assert_equal 200, server.get.status
    end
  end

  private

  # A gem with one file of its own name.
  def write_gem(folder, version: "1.0", text: "OwnStatsd = Module.new")
    name = File.basename(folder)
    FileUtils.mkdir_p("#{folder}/lib")
    File.write("#{folder}/lib/#{name}.rb", "#{text}\n")
    File.write("#{folder}/#{name}.gemspec", <<~RUBY)
      Gem::Specification.new("#{name}", "#{version}") do |gem|
        gem.summary = gem.author = "A test"
        gem.files = ["lib/#{name}.rb"]
      end
    RUBY
  end
end
