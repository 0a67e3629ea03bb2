# frozen_string_literal: true

# lane: soak -- many servers, each booted twice

require "test_helper"
require "json"
require "coppice/allocator"
require "coppice/gc_profile"
require "coppice/state"
require_relative "../support/c_library"
require_relative "../support/server"

# What a real server sets in the environment of its molds, and what the application sees of it.
class GCProfileTest < Coppice::TestCase
  # Ruby never lets its limit on malloc leave the range that these two set: by it one sees what Ruby was started with.
  LIMITS = %w[RUBY_GC_MALLOC_LIMIT RUBY_GC_MALLOC_LIMIT_MAX].freeze
  RUBYS_OWN = 16 << 20 # and more

  APP = <<~RUBY.freeze
    require "json"
    AT_BOOT = ENV.to_h
    File.write("boots", "\#{Process.pid}\\n", mode: "a")
    run(lambda do |_env|
      before_bundler = Bundler.original_env if defined?(Bundler)
      [200, {}, [JSON.generate(boot: AT_BOOT, now: ENV.to_h, before_bundler: before_bundler,
                    limit: GC.stat(:malloc_increase_bytes_limit))]]
    end)
  RUBY

  CLEAN = { "LD_PRELOAD" => nil, "MALLOC_CONF" => nil,
            **ENV.keys.grep(Coppice::GCProfile::NAME).to_h { |name| [name, nil] } }.freeze

  test "what a warm-up measures is what the application is booted with at the next start" do
    in_folder do |folder|
      2.times do |start|
        serve("warm_up_requests '/'", folder: folder) do |server|
          assert_equal start + 1, File.readlines("#{folder}/boots").size
          assert_includes [RUBYS_OWN.., ...RUBYS_OWN].fetch(start), facts(server).fetch("limit")
          server.wait { File.exist?("#{folder}/tmp/#{Coppice::State::MEASURED}") } # written on a thread of its own
        end
      end
    end
  end

  test "the same where clients are measured" do
    in_folder do |folder|
      2.times do |start|
        serve("", folder: folder) do |server|
          assert_includes [RUBYS_OWN.., ...RUBYS_OWN].fetch(start), facts(server).fetch("limit")
          server.wait do # the lead worker serves only some of them
            Coppice::GCProfile::MEASURED_REQUESTS.times { server.get }
            File.exist?("#{folder}/tmp/#{Coppice::State::MEASURED}")
          end
        end
      end
    end
  end

  soak_test "a server in another directory begins with what one has measured that still serves" do
    in_folder do |old|
      in_folder do |new|
        config = "warm_up_requests '/'\nstate_directory \"#{old}/state\""
        serve(config, folder: old) do |server|
          server.wait { File.exist?("#{old}/state/#{Coppice::State::MEASURED}") }
          serve(config, folder: new) { |fresh| assert_operator facts(fresh).fetch("limit"), :<, RUBYS_OWN }
        end
      end
    end
  end

  test "a state directory that cannot be used is not fatal, nor is a spoiled file" do
    in_folder do |folder|
      File.write("#{folder}/file", "")
      FileUtils.mkdir("#{folder}/state")
      File.write("#{folder}/state/#{Coppice::State::MEASURED}", "nonsense\n")
      %w[file/below state].each do |name|
        serve("warm_up_requests '/'\nstate_directory \"#{folder}/#{name}\"", folder: folder) do |server|
          server.wait(60, "a warm generation") { server.settled?(1) }
          assert_operator facts(server).fetch("limit"), :>=, RUBYS_OWN
        end
      end
      state = Coppice::State.new("#{folder}/state", key: "another")
      state.measurement { |_file, reason| assert_match(/\Ait was measured with ruby=/, reason) }
    end
  end

  test "with `wait: true` the application is booted once more, before it serves" do
    serve("warm_up_requests '/'\ngc_profile :fitted, wait: true") do |server|
      assert_equal 2, boots(server)
      assert_operator facts(server).fetch("limit"), :<, RUBYS_OWN # it needs less
      server.wait(60, "a warm generation") { server.settled?(1) }
      server.signal(:USR2)
      server.wait(60, "a refork") { server.settled?(2) }

      assert_equal 2, boots(server)
    end
  end

  test "in development nobody waits for a second boot" do
    serve("warm_up_requests '/'\ngc_profile :fitted, wait: true", env: { "RACK_ENV" => "development" }) do |server|
      assert_equal 1, boots(server)
      refute_path_exists server.path("tmp")
    end
  end

  test "with a profile nothing needs to be measured" do
    in_folder(limits(33_000_000).map { |pair| pair.join("=") }.join("\n")) do |folder|
      serve("warm_up_requests '/'", folder: folder) do |server|
        assert_equal 33_000_000, facts(server).fetch("limit")
        assert_equal 1, File.readlines("#{folder}/boots").size
      end
    end
  end

  test "a variable of the user wins, and the application sees it" do
    in_folder(limits(33_000_000).map { |pair| pair.join("=") }.join("\n")) do |folder|
      serve("", folder: folder, env: limits(40_000_000)) do |server|
        assert_equal 40_000_000, facts(server).fetch("limit")
        assert_equal limits(40_000_000), added(facts(server).fetch("now"))
      end
    end
  end

  test "a profile by hand, and none at all" do
    { "gc_profile(#{limits(33_000_000)})" => 33_000_000..33_000_000,
      "gc_profile :ruby" => RUBYS_OWN.. }.each do |config, range|
      serve(config) { |server| assert_includes range, facts(server).fetch("limit") }
    end
  end

  test "the application and what it runs see nothing of what was added" do
    bundler = { "BUNDLE_GEMFILE" => File.expand_path("../../Gemfile", __dir__), "RUBYOPT" => "-rbundler/setup" }
    serve("gc_profile(#{limits(33_000_000)})", env: bundler) do |server|
      environments = facts(server).values_at("boot", "now", "before_bundler")

      assert_equal [{}, {}, {}], environments.map { |environment| added(environment) }
    end
  end

  test "a profile that is spoiled later is not taken, and the server lives on" do
    serve("refork_backoff 0.1") do |server|
      Dir.mkdir(server.path("config"))
      File.write(server.path(Coppice::GCProfile::FILE), "nonsense\n")
      worker = server.ready_workers.first.pid
      server.signal(:STOP, to: worker) # it cannot take the mold's place
      server.signal(:KILL, to: server.rows(:mold).first.pid)
      server.signal(:KILL, to: worker)
      server.wait(60, "a cold mold") { boots(server) == 2 && server.settled?(0) }

      assert_equal 200, server.get.status
    end
  end

  test "a spoiled profile at the start is an error" do
    in_folder("nonsense\n") do |folder|
      server = Server.new(app: APP, folder: folder, env: CLEAN, ready: false)
      server.start

      assert_equal 1, server.wait_for_end.exitstatus
      assert_match(%r{^coppice: .*config/coppice\.gc:1: must be RUBY_GC_}, server.log) # made for people
    ensure
      server&.clean_up
    end
  end

  test "the application runs with jemalloc where it is installed" do
    skip "jemalloc is not installed" unless Coppice::Allocator.library(:auto)
    serve("") { |server| assert_match(/libjemalloc/, maps(server)) }
    serve("allocator :system") { |server| refute_match(/libjemalloc/, maps(server)) }
  end

  # What jemalloc has read, asked of jemalloc.
  ARENAS = <<~RUBY.freeze
    require "#{CLibrary::PATH}"
    value, size = [0].pack("L"), [4].pack("J")
    CLibrary.call("mallctl", "opt.narenas", value, size, nil, 0).zero? or raise "no opt.narenas"
    run ->(_env) { [200, {}, ["\#{value.unpack1("L")} \#{ENV["MALLOC_CONF"]}"]] }
  RUBY

  test "jemalloc has one arena, unless the user has set its parameters" do
    skip "jemalloc is not installed" unless Coppice::Allocator.library(:auto)
    serve("", app: ARENAS) { |server| assert_equal "1 ", server.get.body }
    serve("", app: ARENAS, env: { "MALLOC_CONF" => "narenas:3" }) do |server|
      assert_equal "3 narenas:3", server.get.body
    end
  end

  private

  # On one worker.
  def serve(config, app: APP, env: {}, **options, &block)
    Server.open(app: app, config: config, env: { **CLEAN, **env }, **options, &block)
  end

  def limits(bytes) = LIMITS.to_h { |name| [name, bytes.to_s] }

  def in_folder(profile = nil)
    with_tmpdir do |folder|
      Dir.mkdir("#{folder}/config")
      File.write("#{folder}/#{Coppice::GCProfile::FILE}", profile) if profile
      yield folder
    end
  end

  def facts(server) = JSON.parse(server.get.body)

  def added(environment)
    environment.select { |name, _| name.match?(/\ARUBY_GC_|\A(LD_PRELOAD|MALLOC_CONF)\z|\ACOPPICE_ADDED/) }
  end

  def boots(server) = File.readlines(server.path("boots")).size

  def maps(server) = File.read("/proc/#{server.ready_workers.first.pid}/maps")
end
