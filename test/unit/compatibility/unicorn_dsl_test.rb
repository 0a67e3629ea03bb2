# frozen_string_literal: true

require "test_helper"
require "coppice/config/loader"
require "coppice/tools/import"

module Coppice
  module Compatibility
    # `coppice -c config/unicorn.rb`: Unicorn's directives are taken, mapped, or noted.
    class UnicornDslTest < TestCase
      Context = Struct.new(:worker_processes, :logger)

      def load(text, name = "config/unicorn.rb", environment: {})
        with_tmpdir do |folder|
          FileUtils.mkdir_p(File.dirname("#{folder}/#{name}"))
          File.write("#{folder}/#{name}", text)
          Config::Loader.new(arguments: ["-c", name], environment: environment, directory: folder).load
        end
      end

      test "options of the same name are taken" do
        settings = load(<<~RUBY)
          worker_processes 3
          listen "127.0.0.1:8081", :backlog => 64, :tries => -1, :delay => 5, :accept_filter => "x"
          listen "/tmp/.unicorn.sock"
          timeout 30
          rewindable_input false
          client_body_buffer_size 1024
          check_client_connection true
          early_hints true
          stderr_path "log/err"
          stdout_path "log/out"
        RUBY

        names = %i[worker_processes timeout rewindable_input client_body_buffer_size check_client_connection
                   early_hints]
        assert_equal [3, 30, false, 1024, true, true], names.map { |name| settings.public_send(name) }
        assert_equal ["127.0.0.1:8081", "/tmp/.unicorn.sock"], settings.listen.map(&:to_s)
        assert_equal [64, -1, 5], settings.listen.first.options.values_at(:backlog, :tries, :delay)
        assert_equal %w[log/out log/err].map { |path| File.expand_path(path) },
          [settings.stdout_path, settings.stderr_path]
        assert_empty settings.notes
      end

      test "variables of the environment count only for what the file does not say" do
        environment = { "PORT" => "3000", "WEB_CONCURRENCY" => "5", "RACK_ENV" => "production" }
        text = "worker_processes 3\nlisten \"/tmp/nginx.sock\""

        assert_equal [3, %w[/tmp/nginx.sock]], served(load(text, environment: environment))
        assert_equal [5, %w[0.0.0.0:3000]], served(load("timeout 30", environment: environment))
        assert_equal [5, %w[0.0.0.0:3000]], served(load(text, "config/coppice.rb", environment: environment))
      end

      test "what has no effect is noted once, with its line" do
        settings = load("preload_app false\n\nworker_exec true\ndefault_middleware true\nbefore_exec { 1 }")

        assert_equal %w[1 3 4 5],
          settings.notes.map { |note| note[/\Aconfig\/unicorn\.rb:(\d): \w+ has no effect: ./, 1] }
        assert_empty load("preload_app true\nworker_exec false\ndefault_middleware false\npid nil").notes
      end

      test "the timeout is Unicorn's unless the file sets one" do
        assert_equal [60, "default of Unicorn"], [load("").timeout, load("").origin(:timeout)]
        assert_equal [30, "config/unicorn.rb:1"], [load("timeout 30").timeout, load("timeout 30").origin(:timeout)]
      end

      test "hooks have time, as Unicorn has no limit for them, unless the file says otherwise" do
        settings = load("after_fork { 1 }\ntimeout 90")

        assert_equal [90, "Unicorn has no limit for hooks"], [settings.spawn_timeout, settings.origin(:spawn_timeout)]
        assert_equal 7, load("before_fork { 1 }\nspawn_timeout 7").spawn_timeout
      end

      test "a translation has the same limits for requests and hooks" do
        ["", "timeout 30", "timeout 5.5", "timeout 90.5", "timeout 30 if false", "spawn_timeout 7"].each do |limit|
          ["", "before_fork { 1 }", "after_fork { 1 }", "after_worker_ready { 1 }"].each do |hook|
            text = "#{limit}\n#{hook}\nworker_processes 2"
            files = [load(text), load(Import.translate(text, file: "config/unicorn.rb").text, "config/coppice.rb")]

            assert_equal(*files.map { |settings| [settings.timeout, settings.spawn_timeout] }, text)
          end
        end
      end

      test "pid is the option pidfile" do
        assert_equal File.expand_path("a.pid"), File.expand_path(load("pid \"a.pid\"").pidfile)
        assert_nil load("pid nil").pidfile
      end

      test "its hooks get what they expect" do
        settings = load(<<~'RUBY')
          pid "/run/app.pid"
          before_fork do |server, worker|
            [:before, "#{server.config[:pid]}.oldbin", server.pid, worker.nr + 1 >= server.worker_processes]
          end
          after_fork { |server, worker| [:after, worker] }
          after_worker_ready { |server, worker| [:ready, worker] }
          after_worker_exit { |server, worker, status| [:exit, worker, status] }
        RUBY
        context = Context.new(1)
        call = ->(name, *more) { settings.hook(name).call(context, *more) }

        assert_equal [:before, "/run/app.pid.oldbin", "/run/app.pid", true], call.(:before_fork)
        assert_equal [[:after, 7], [:ready, 7], [:exit, 7, 0]],
          [call.(:after_worker_fork, 7), call.(:after_worker_ready, 7), call.(:after_worker_exit, 7, 0)]
        wrong = load("after_fork { |server, _| server.nothing }").hook(:after_worker_fork)
        assert_raises(NoMethodError) { wrong.call(context, 1) }
        assert_nil load("after_fork { 1 }\nafter_fork nil").hook(:after_worker_fork)
      end

      test "an address for a single worker is only warned of" do
        warnings = []
        logger = Object.new
        logger.define_singleton_method(:warn) { |text| warnings << text }
        load("after_fork { |server, worker| server.listen(\"127.0.0.1:9000\", tries: -1) }")
          .hook(:after_worker_fork).call(Context.new(1, logger), 1)

        assert_match(/server\.listen has no effect in a hook.*127\.0\.0\.1:9000/, warnings.first)
      end

      # Yields the directory of a release, and that of the next one; `current` leads to the first. Both have the file.
      def deployed(text)
        before = [Dir.pwd, ENV.fetch("PWD", nil)]
        with_tmpdir do |folder|
          folder = File.realpath(folder)
          File.symlink("1", "#{folder}/current")
          directories = %w[1 2].map { |name| "#{folder}/#{name}" }
          directories.each do |directory|
            Dir.mkdir(directory)
            File.write("#{directory}/unicorn.rb", text)
          end
          yield(*directories)
        ensure
          Dir.chdir(before.first)
          ENV["PWD"] = before.last
        end
      end

      def load_in(directory, arguments: %w[-c unicorn.rb], **options)
        Config::Loader.new(arguments: arguments, environment: {}, directory: directory, **options).load
      end

      CURRENT = 'working_directory File.join(File.dirname(File.expand_path(__FILE__), 2), "current")'

      test "the server goes to its working_directory at once, and finds its next release there" do
        deployed(CURRENT) do |one, two|
          settings = load_in(two)

          assert_equal [one, "#{File.dirname(one)}/current"], [Dir.pwd, ENV.fetch("PWD")]
          assert_equal [ENV.fetch("PWD"), "unicorn.rb:1"], [settings.directory, settings.origin(:directory)]
        end
      end

      test "a process of the next release does not go to its working_directory, which still leads to the one before" do
        deployed(CURRENT) do |one, two|
          Dir.chdir(two)
          settings = load_in(two, settled: true)

          assert_equal ["#{File.dirname(one)}/current", two], [settings.directory, Dir.pwd]
          Config::ConfigFile.read("unicorn.rb") # as a mold does

          assert_equal two, Dir.pwd
        end
      end

      test "a working_directory without symlinks does not say where the next release is" do
        deployed("working_directory File.dirname(File.expand_path(__FILE__))") do |one, _two|
          settings = load_in(one)

          assert_equal [one, nil], [Dir.pwd, settings.directory]
        end
      end

      test "a working_directory without the configuration file is refused" do
        deployed('working_directory "/"') do |one, _two|
          error = assert_raises(ConfigError) { load_in(one) }

          assert_match(%r{working_directory /: unicorn\.rb is not there}, error.message)
        end
      end

      test "a working_directory that does not exist is refused, wherever the configuration file is" do
        deployed('working_directory "/no/such/current"') do |one, _two|
          ["unicorn.rb", "#{one}/unicorn.rb"].each do |file|
            error = assert_raises(ConfigError) { load_in(one, arguments: ["-c", file]) }

            assert_equal "#{file}:1: working_directory /no/such/current does not exist", error.message
          end
        end
      end

      test "the user is that of the server, or root is refused" do
        own = Etc.getpwuid(Process.euid).name
        assert_empty load("user #{own.inspect}, \"staff\"").notes
        if Process.euid.zero?
          error = assert_raises(ConfigError) { load("user \"nobody\"") }
          assert_match(/\Aconfig\/unicorn\.rb:1: user nobody: .*Start the server as nobody\z/, error.message)
        else
          assert_match(/user has no effect/, load("user \"nobody\"").notes.first)
        end
      end

      test "the constant is there while the file is read, and not afterwards" do
        assert_empty load("Unicorn::HttpServer::START_CTX[0] = 1\nUnicorn::Configurator::RACKUP[:a] = 1").notes
        refute Object.const_defined?(:Unicorn)
        assert_raises(ConfigError) { load("Unicorn::HttpServer.nothing") }
        refute Object.const_defined?(:Unicorn)
      end

      test "no flag of Unicorn's command line has set anything" do
        text = "listen RACKUP[:port] + 1 unless RACKUP[:set_listener]"
        assert_equal [8081], load(text).listen.map(&:port)
        assert_equal [8081], load(text.sub("RACKUP", "Unicorn::Configurator::RACKUP")).listen.map(&:port)
      end

      test "the name of the file or of its folder decides" do
        assert_equal 1, load("preload_app false", "config/unicorn/production.rb").notes.size
        assert_equal 1, load("preload_app false", "unicorn.conf.rb").notes.size
        error = assert_raises(ConfigError) { load("preload_app true", "unicorn-app/coppice.rb") }
        assert_match(/unknown option or hook preload_app/, error.message)
      end

      private

      def served(settings) = [settings.worker_processes, settings.listen.map(&:to_s)]
    end
  end
end
