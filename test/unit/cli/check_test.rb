# frozen_string_literal: true

require "test_helper"
require "stringio"
require "coppice/cli"
require "coppice/cli/check_command"

module Coppice
  class CLI
    class CheckTest < TestCase
      test "a good file" do
        assert_equal "config/coppice.rb is good\n", check("worker_processes 2")
      end

      test "no file" do
        assert_equal "there is no configuration file (config/coppice.rb or config/pitchfork.rb); " \
                     "the defaults are good\n", check(nil)
      end

      test "a stop that the platform would not wait for is a warning" do
        output = check("timeout 20", environment: { "DYNO" => "web.1" })
        assert_match(%r{\Aconfig/coppice.rb is good\na graceful stop may take \d+ s .* Heroku}, output)
      end

      test "a disk limit that refuses all large bodies is a warning" do
        output = check("listen '*:3000'\nbuffer_disk_limit 0")
        assert_match(%r{\Aconfig/coppice.rb is good\nbuffer_disk_limit 0 leaves no room for bodies}, output)
      end

      test "listeners without the lobby have a plain queue, which is no warning" do
        output = check("listen '*:3000'\nlisten '*:3001', lobby: false")
        assert_match(/ is good\nwithout the lobby, clients of 0.0.0.0:3001 wait in the order in which/, output)
        refute_match(/3000/, output)
      end

      test "an adapter of Action Cable that no broadcast leaves is a warning, if a service has the WebSockets" do
        cable = "production: &all\n  adapter: async\n  url: <%= ENV['A'] %>\ntest: *all\nother:\n  adapter: <%= 1 %>\n"
        outputs = [["service :cable, path: '/cable'", "production"], ["service :cable, path: '/cable'", "test"],
                   ["service :cable, path: '/cable'", "other"], ["service :cable, nil", "production"]]
                  .map { |text, name| check(text, environment: { "RAILS_ENV" => name }, cable: cable) }
        assert_match(/^service cable: broadcasts of workers .* adapter async: set another /, outputs.shift)
        assert_equal ["config/coppice.rb is good\n"] * 3, outputs
      end

      test "a log file that the server could not open is a warning" do
        output = check("access_log :json, 'none/access'")
        assert_match(%r{\Aconfig/coppice.rb is good\naccess_log /.*/none/access cannot be opened by user \d+: }, output)
      end

      test "a compiler that this Ruby lacks is a warning" do
        OS::JIT.stub(:available?, false) do
          assert_equal "config/coppice.rb is good\njit :lead: this Ruby has no YJIT to turn on\n", check("jit :lead")
          assert_equal "config/coppice.rb is good\n", check("jit :off")
        end
        OS::JIT.stub(:available?, true) { assert_equal "config/coppice.rb is good\n", check("jit :lead") }
      end

      test "what is left of another server in a translation is a warning, and with --strict a failure" do
        text = "# TODO: [coppice] Coppice has no Unicorn.\nbefore_fork { |_server| ::Unicorn::HttpServer }\n"
        assert_equal "config/coppice.rb can be read, but has to be changed by hand:\n" \
                     "config/coppice.rb:1: TODO: Coppice has no Unicorn.\n" \
                     "config/coppice.rb:2: before_fork uses Unicorn, which is not in the bundle: it will raise a " \
                     "NameError\n", check(text)
        refute_match(/before_fork uses/, check(text, lock: "GEM\n  specs:\n    unicorn (6.1.0)\n"))
        assert_equal [1, 0], [text, "timeout 9"].map { |one| status_of(one, "--strict") }
      end

      test "hooks are not called" do
        assert_match(/is good/, check("before_fork { raise 'called' }"))
      end

      test "--show prints each setting with its value and origin" do
        output = check("listen 3000\nbefore_fork { 1 }\nlogger Logger.new(File::NULL)", "--show", "--workers", "7")
        rows = output.lines.map(&:split)
        assert_includes rows, %w[setting value origin]
        assert_includes rows, ["worker_processes", "7", "flag", "--workers"]
        assert_includes rows, ["listen", "0.0.0.0:3000", "config/coppice.rb:1"]
        assert_includes rows, ["before_fork", "a", "block", "config/coppice.rb:2"]
        assert_includes rows, ["logger", "a", "Logger", "config/coppice.rb:3"]
        assert_includes rows, %w[timeout 20 default]
        Config::OPTIONS.each { |option| assert(rows.any? { |row| row.first == option.name.to_s }, option.name) }
      end

      test "--show names the options of listeners that are not the default" do
        output = check("listen 3000, scheme: :https\nlisten 3001", "--show")

        assert_match(/^listen +0\.0\.0\.0:3000 \(scheme: :https\) 0\.0\.0\.0:3001 /, output)
      end

      test "--show prints the effective values of :auto and nil" do
        lines = check("worker_processes :auto\nclient_min_rate nil", "--show",
          environment: { "LD_PRELOAD" => "/opt/libmy.so" }).lines
        { "worker_processes" => /:auto \(\d+ to \d+ for [\d.]+ processors, fewer if/,
          "allocator" => %r{:auto \(/opt/libmy.so\)},
          "warmup" => /:auto \(true\)/, "refork_after" => /nil \(only on request \(USR2\)\)/,
          "client_min_rate" => /nil \(none\)/,
          "trusted_proxies" => /nil \(loopback and the private networks\)/ }.each do |name, value|
          assert_match value, lines.find { |line| line.start_with?("#{name} ") }
        end
      end

      test "--show prints the variables that a cold mold gets, with their origins" do
        yours = { "RUBY_GC_HEAP_GROWTH_FACTOR" => "1.1", "LD_PRELOAD" => "/opt/libother.so" }
        rows = check("gc_profile \"RUBY_GC_MALLOC_LIMIT\" => 9_000_000", "--show",
          environment: yours).lines.map(&:split)

        assert_includes rows, %w[variable value origin]
        assert_includes rows, ["RUBY_GC_MALLOC_LIMIT", "9000000", "config/coppice.rb:1"]
        assert_includes rows, ["RUBY_GC_HEAP_GROWTH_FACTOR", "1.1", "environment", "(yours)"]
        assert_includes rows, ["LD_PRELOAD", "/opt/libother.so", "environment", "(yours)"]
      end

      test "--show says what Coppice does for the gems of the Gemfile.lock, and what the user must do" do
        lock = "GEM\n  specs:\n    pg (1.7.0-x86_64-linux)\n      other (2)\n    http (1.2)\n    rack (3.1)\n" \
               "    activerecord (8.1.0)\n"
        text = check("fork_safety_presets except: [:net_http]", "--show", lock: lock)

        assert_match(/^fork_safety_presets +\{.*net_http/, text)
        assert_match(/^libraries of Gemfile.lock and of Ruby .*:$/, text)
        assert_match(/^http 1.2: another version.*\n  you: .*before_fork/, text)
        assert_match(/^pg 1.7.0: safe: Coppice acts\n  Coppice: detaches .*\n  you: /, text)
        refute_match(/^rack \d/, text)
        assert_match(/^activerecord 8.1.0: safe: the library handles forks\n  Coppice: .*connects each worker/, text)
        assert_match(/^net-http of Ruby: the preset is turned off$/, text)
        off = check("fork_safety_presets false", "--show", lock: lock)
        assert_match(/^pg 1.7.0: the preset is turned off\n  you: /, off)
        assert_match(/^activerecord 8.1.0: the preset is turned off/, off)
        assert_match(/^net-http of Ruby: safe: Coppice acts\n  Coppice: /, check(nil, "--show", lock: lock))
        refute_match(/libraries of/, check(nil, "--show"))
      end

      test "--show compares what the user must do with the hooks and services of the configuration" do
        lock = "GEM\n  specs:\n    solid_queue (1.2)\n    concurrent-ruby (1.3)\n"
        assert_match(/^solid_queue 1.2: you must act\n  you: `service/, check(nil, "--show", lock: lock))
        text = check("service(:solid_queue) { 1 }\nafter_worker_fork { 1 }", "--show", lock: lock)
        assert_match(/^solid_queue 1.2: you must act, and have .*\n  you: you have the service solid_queue; see /, text)
        assert_match(/^concurrent-ruby 1.3: safe: .*\n  you: nothing for pools/, text)
      end

      test "--show uses what a server has kept, and lists the paths that it has learned" do
        with_folder("warm_up_requests :learned") do |folder|
          state = State.of(Config::Settings.new(environment_name: "production"), environment: {}, directory: folder)
          state.keep_paths({ "/products" => 120, "/" => 30, "/rare" => 1 })
          state.keep_measurement(GCProfile::Allocations.new(requests: 64, cpu_us: 9000, minor_us: 1200, malloc: 70_000,
      promoted: 9, largest: 9000,
                                                            pools: { 40 => [4000, 190_000] }))
          text = show(folder)

          assert_match(/^RUBY_GC_MALLOC_LIMIT +8388608 +measured before$/, text)
          assert_match(%r{^learned path  requests\n/products +120\n/ +30$}, text)
          File.write("#{folder}/tmp/#{State::PATHS}", "spoiled")
          assert_match(%r{tmp/coppice.paths is not used: it is spoiled$.*^learned paths: none yet$}m, show(folder))
        end
      end

      test "a single process gets no variables" do
        refute_match(/^variable /, check("worker_processes 0", "--show"))
      end

      test "an invalid profile of the garbage collector is an error" do
        with_folder(nil) do |folder|
          File.write(File.join(folder, GCProfile::FILE), "nonsense")
          error = assert_raises(ConfigError) do
            CheckCommand.new([], output: StringIO.new, environment: {}, directory: folder).run
          end
          assert_match(%r{config/coppice.gc:1: must be RUBY_GC_}, error.message)
        end
      end

      test "the columns of the table stand under each other" do
        table = check("worker_processes 2", "--show").lines.drop(2).reject { |line| line.split.size < 3 }
        assert_equal 1, table.map { |line| line.index(/\S+ +\S+  +\K\S/) }.uniq.size
      end

      test "a bad file is a ConfigError, for the command line to report" do
        with_folder("worker_processes :x") do |folder|
          error = assert_raises(ConfigError) do
            CheckCommand.new([], output: StringIO.new, environment: {}, directory: folder).run
          end
          assert_match(%r{\Aconfig/coppice.rb:1: worker_processes must be}, error.message)
        end
      end

      private

      def check(text, *words, environment: {}, lock: nil, cable: nil)
        output = StringIO.new
        with_folder(text) { |folder|
          files = { "Gemfile.lock" => lock, "config/cable.yml" => cable }.compact
          files.each { |name, content| File.write(File.join(folder, name), content) }
          assert_equal 0, CheckCommand.new(words, output: output, environment: environment, directory: folder).run
        }
        output.string
      end

      def status_of(text, *words)
        with_folder(text) do |folder|
          CheckCommand.new(words, output: StringIO.new, environment: {}, directory: folder).run
        end
      end

      def show(folder)
        output = StringIO.new
        CheckCommand.new(["--show"], output: output, environment: { "RACK_ENV" => "production" }, directory: folder).run
        output.string
      end

      def with_folder(text)
        with_tmpdir do |folder|
          FileUtils.mkdir(File.join(folder, "config"))
          File.write(File.join(folder, "config/coppice.rb"), text) if text
          yield folder
        end
      end
    end
  end
end
