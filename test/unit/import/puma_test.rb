# frozen_string_literal: true

require "test_helper"
require "coppice/config/config_file"
require "coppice/import"

module Coppice
  module Import
    # What becomes of the lines of a configuration for Puma.
    class PumaTest < TestCase
      # The lines below the head, without those that are added when there is no worker count and no address.
      def translated(text)
        result(text).text.lines.drop(1).join.strip.gsub(/^# (?:1\.5 workers|Puma's default port).*\n.*(?:\n\n|\z)/, "")
      end

      def result(text) = Import.translate(text, file: "config/puma.rb")
      def notes(text, name) = result(text).entries.select { |entry| entry.name == name }.map(&:note)
      def note(text, name) = notes(text, name).first

      test "values and conditions stay as they are written" do
        assert_equal 'listen ENV.fetch("PORT") { 3000 }', translated('port ENV.fetch("PORT") { 3000 }')
        assert_equal "worker_processes Integer(ENV[\"N\"] || 2) unless quick",
          translated("workers Integer(ENV[\"N\"] || 2) unless quick")
        assert_equal "if production\n  timeout 60\nend", translated("if production\n  worker_timeout 60\nend")
        assert_equal "max_body_bytes(1024)", translated("http_content_length_limit(1024)")
        assert_equal "keepalive_timeout 30, trusted: 30", translated("persistent_timeout 30")
        assert_equal "keepalive_timeout 0, trusted: 0", translated("enable_keep_alives false")
      end

      test "what may be a text becomes a number" do
        assert_equal 'timeout Integer(ENV.fetch("LIMIT", 60))', translated('worker_timeout ENV.fetch("LIMIT", 60)')
        assert_equal 'keepalive_timeout Integer("9"), trusted: Integer("9")', translated('persistent_timeout "9"')
        assert_equal "refork_after [Integer(ENV[\"N\"])]", translated("fork_worker ENV[\"N\"]")
        assert_equal "timeout 60 * 2", translated("worker_timeout 60 * 2")
        assert_equal 'worker_processes Integer("2")', translated('workers "2"')
        assert_equal 'worker_processes ENV["N"].to_i', translated('workers ENV["N"].to_i')
        assert_equal "worker_processes Etc.nprocessors", translated("workers Etc.nprocessors")
        assert_equal "n = a.to_i\ntimeout n", translated("n = a.to_i\nworker_timeout n")
        assert_equal "n = 1\nn = a if a\ntimeout Integer(n)", translated("n = 1\nn = a if a\nworker_timeout n")
        assert_equal "worker_processes 4", translated("workers 4")
        assert_equal "worker_processes :auto", translated("workers :auto")
        assert_equal "worker_processes :auto", translated("workers 0")
        assert_equal "worker_processes 0 if development", translated("workers 0 if development")
        assert_includes note('workers ENV.fetch("N") { 0 }', :workers), "0 is one process with three threads"
      end

      test "a count of workers that is known only later may be auto" do
        text = 'workers ENV.fetch("N", 2)'
        assert_equal 'worker_processes Integer(ENV.fetch("N", 2), exception: false) || :auto', translated(text)
        assert_includes note(text, :workers), "What is no number becomes :auto"
        { "3" => 3, "auto" => :auto }.each do |given, expected|
          line = translated("workers(given)")
          assert_equal expected, evaluate("given = #{given.inspect}\n#{line}").values[:worker_processes]
        end
      end

      test "addresses" do
        { "port 3000, \"::1\"" => 'listen "[::1]:3000"',
          "port ENV[\"PORT\"], host" => "listen \"\#{host}:\#{ENV[\"PORT\"]}\"",
          'bind "tcp://0.0.0.0:3000"' => 'listen "0.0.0.0:3000"',
          "bind 'unix:///run/app.sock?umask=0111&backlog=64'" => "listen '/run/app.sock', umask: 0o111, backlog: 64",
          "bind \"unix://tmp/app.sock\"" => 'listen "unix:tmp/app.sock"',
          "bind \"unix://\#{root}/app.sock\"" => "listen \"unix:\#{root}/app.sock\"",
          "bind ENV[\"BIND\"]" => "listen (ENV[\"BIND\"]).gsub(%r{\\A(?:tcp:|(unix:))//|\\?.*}, \"\\\\1\")",
          'bind "tcp://localhost"' => 'listen "localhost:9292"',
          'bind "tcp://[::1]?backlog=9"' => 'listen "[::1]:9292", backlog: 9' }
          .each { |line, expected| assert_equal expected, translated(line) }
        assert_empty translated('bind "ssl://0.0.0.0:3000?key=a&cert=b"')
        assert_includes note('bind "ssl://0.0.0.0:3000"', :bind), "no TLS"
        assert_includes note('bind "unix://@name"', :bind), "abstract names"
        assert_includes note("port 3000", :port), "on all interfaces"
        assert_nil note('port 3000, "127.0.0.1"', :port)
      end

      test "an address that is known only later means the same" do
        line = translated("bind target")
        [%w[tcp://0.0.0.0:3000 0.0.0.0:3000], %w[unix:///run/app.sock?umask=0111 /run/app.sock]].each do |uri, address|
          values = evaluate("target = #{uri.inspect}\n#{line}")
          assert_equal [address], values.values[:listen].map(&:to_s)
        end
      end

      test "the path of a directory becomes absolute" do
        assert_equal 'directory File.expand_path("app")', translated('directory "app"')
        assert_includes note('directory "app"', :directory), "must be absolute"
        ['"/srv/app"', "__dir__", "File.join('/srv', name)", "File.expand_path(\"..\", __dir__)"].each do |path|
          assert_equal "directory #{path}", translated("directory #{path}")
          assert_equal "root = #{path}\ndirectory root", translated("root = #{path}\ndirectory root")
        end
      end

      test "standard streams" do
        assert_equal "stdout_path \"a\"\nstderr_path \"b\"", translated('stdout_redirect "a", "b", true')
        assert_equal '(stdout_path "a"; stderr_path "b") if log', translated('stdout_redirect "a", "b" if log')
        assert_equal 'stderr_path "b"', translated('stdout_redirect nil, "b"')
      end

      test "the access log is on where it was" do
        { "log_requests" => "access_log :text", "log_requests true" => "access_log :text", "log_requests(false)" => "",
          "quiet" => "", "quiet true" => "", "quiet false" => "access_log :text",
          "log_requests verbose" => "access_log (:text if verbose)",
          "quiet(!verbose)" => "access_log((:text unless !verbose))" }
          .each { |line, expected| assert_equal expected, translated(line) }
        assert_includes note("log_requests false", :log_requests), "no access log unless"
        assert_includes note("quiet false", :quiet), "where it is false"
      end

      test "what is dropped goes with its lines, its comment, its condition and its variables" do
        assert_equal "worker_processes 2", translated(<<~RUBY)
          # Threads: at least and at most.
          most = ENV.fetch("MAX") { 5 }
          least = ENV.fetch("MIN") { most }
          threads least, most

          # preload_app!

          workers 2
          plugin :tmp_restart if ENV["RESTART"]
          if ENV["STATE"]
            state_path "a.state"
            state_permission 0o600
          end
          %w[a b].each { |name| plugin name }
        RUBY
      end

      test "Solid Queue's plugin becomes a service, and a pid file stays" do
        text = <<~'RUBY'
          workers 2
          plugin :solid_queue if ENV["SOLID_QUEUE_IN_PUMA"]
          pidfile ENV["PIDFILE"] if ENV["PIDFILE"]
        RUBY

        assert_includes translated(text), 'Supervisor.start } if ENV["SOLID_QUEUE_IN_PUMA"]'
        assert_includes translated(text), 'pidfile ENV["PIDFILE"] if ENV["PIDFILE"]'
        assert_equal %w[solid_queue], evaluate("service(:solid_queue, survives_reforks: true) { 1 }").services.keys
      end

      test "one branch of a condition may be left" do
        assert_equal "unless admin\n  listen 3000\nend", translated("if admin\n  quiet\nelse\n  port 3000\nend")
        assert_equal "if admin\n  listen 3000\nend", translated("if admin\n  port 3000\nelse\n  quiet\nend")
        assert_equal "admin ? listen(3000) : nil", translated("admin ? port(3000) : plugin(:x)")
      end

      test "other comments and code stay" do
        magic = "# frozen_string_literal: true\n"
        text = "# Ports are assigned by\n# the platform.\nrequire \"etc\"\n\ndef tag(name) = name\ntag \"a\"\n"
        assert_operator result("#{magic}\n#{text}").text, :start_with?, magic
        assert_includes result("#{magic}\n#{text}").text, text
      end

      test "hooks have the processes that they had" do
        assert_equal "after_mold_fork do\n  disconnect\nend", translated("before_fork do\n  disconnect\nend")
        assert_equal "after_worker_fork { connect }", translated("on_worker_boot { connect }")
        assert_equal "after_worker_fork do |_server, worker|\n  index = worker.nr\n  puts index\nend",
          translated("before_worker_boot do |index|\n  puts index\nend")
        assert_equal "after_fork_in_parent { count }", translated("after_worker_fork { count }")
        assert_equal "after_worker_exit do |_server, worker|\n  handle = worker\n  puts handle.pid\nend",
          translated("after_worker_shutdown { |handle| puts handle.pid }")
      end

      test "a block gets what Puma gives to it" do
        { "before_worker_boot { |_index| connect }" => "after_worker_fork do\n  connect\nend",
          "before_worker_boot { |i = 3; a| a = i }" =>
            "after_worker_fork do |_server, worker|\n  i = worker.nr\n  a = i\nend",
          "before_worker_boot { |*all| puts all }" =>
            "after_worker_fork do |_server, worker|\n  all = [worker.nr]\n  puts all\nend",
          "before_fork { |nothing| p nothing }" => "after_mold_fork do\n  nothing = nil\n  p nothing\nend",
          "before_worker_boot(&setup)" =>
            "after_worker_fork do |_server, worker|\n  setup.to_proc.call(worker.nr)\nend",
          "on_booted(&all[:booted])" => "after_monitor_ready do\n  (all[:booted]).to_proc.call\nend" }
          .each { |text, expected| assert_equal expected, translated(text) }
        assert_includes note("on_worker_boot { puts _1 }", :on_worker_boot), "the block has other arguments here"
        assert_nil note("on_worker_boot { puts 1 }", :on_worker_boot)
      end

      test "the data of hooks with a key is shared by them" do
        text = result(<<~'RUBY').text
          before_worker_boot(:file) { |index, data| data[:text] = "worker #{index}" }
          before_worker_shutdown("file") do |_, data|
            File.write(File.join(__dir__, "text"), data[:text])
          end
          before_refork(name = :other) { |_, data| data.clear }
        RUBY
        assert_includes text, "data = hook_data[(name = :other).to_sym]"
        worker = Struct.new(:nr).new(7)
        evaluate(text) do |found, folder|
          found.hooks.values_at(:after_worker_fork, :before_worker_exit).each { |hook| hook.call(nil, worker) }
          assert_equal "worker 7", File.read("#{folder}/text")
        end
        refute_includes result("before_worker_boot(:file) { connect }").text, "hook_data"
      end

      test "several blocks for one hook become one" do
        text = translated("on_worker_boot do\n  one\nend\nworkers 2\nbefore_worker_boot { two }\n")

        assert_equal "after_worker_fork do\n  one\n\n  two\nend\nworker_processes 2", text
        assert_includes note("a = 1\non_booted { 1 } if a\non_booted { 2 }", :on_booted), "only the last block"
      end

      test "blocks of one condition become one, and branches do not replace each other" do
        text = "if a\n  on_worker_boot { 1 }\n  on_worker_boot { 2 }\nelse\n  on_worker_boot { 3 }\nend"
        assert_equal "if a\n  after_worker_fork do\n    1\n\n    2\n  end\nelse\n  after_worker_fork { 3 }\nend",
          translated(text)
        assert_equal [nil, "joined with the block of line 2", nil], notes(text, :on_worker_boot)
        assert_empty notes("case a\nwhen 1 then on_booted { 1 }\nelse on_booted { 2 }\nend", :on_booted).grep(/last/)
        assert_equal 2, notes("on_booted { 1 }\non_booted { 2 } if a", :on_booted).grep(/only the last/).size
      end

      test "what a worker that has exited lacks is marked" do
        text = "after_worker_shutdown { |w| puts w.process_status, w.pid.to_s, w.inspect }"
        assert_operator translated(text), :start_with?,
          "# TODO: Coppice has no w.process_status.\nafter_worker_exit do"
      end

      test "statements of a hook that have lost their purpose are dropped" do
        killer = "before_fork do\n  require \"puma_worker_killer\"\n  PumaWorkerKiller.start\nend"
        assert_empty translated(killer)
        assert_includes note(killer, :before_fork), "worker_memory_limit"
        assert_equal "after_mold_fork do\n  disconnect\nend",
          translated("before_fork do\n  Kernel.sleep 1\n  disconnect\nend")
      end

      test "a hook that uses what is Puma's is marked" do
        assert_equal "# TODO: Coppice has no Puma.\nafter_monitor_ready { Puma.stats }",
          translated("on_booted { Puma.stats }")
        assert_empty translated("require \"puma/daemon\"\n@config.options[:a] = 1")
      end

      test "a name in a text, a comment or a constant of the application is not Puma" do
        text = "handler = Shop::Puma::Handler.new\non_booted { handler.call \"Puma\" } # Puma"
        assert_equal text.sub("on_booted", "after_monitor_ready"), translated(text)
        assert_empty translated("require \"localhost/authority\"\n::Puma::Plugin.new\nputs Puma.stats if verbose")
      end

      test "what reads Puma's own objects and stays is marked" do
        text = "level = Puma::Const::VERSION.to_i\non_booted { puts level }"
        assert_equal "# TODO: Coppice has no Puma.\n#{text.sub('on_booted', 'after_monitor_ready')}", translated(text)
        assert_includes note(text, "level = Puma::Const::VERSION.to_i"), "change it by hand"

        text = "if @options[:workers] > 1\n  on_booted { 1 }\nelse\n  quiet\nend"
        assert_equal "# TODO: Coppice has no @options.\nif @options[:workers] > 1\n  after_monitor_ready { 1 }\nend",
          translated(text)
        assert_includes note(text, "if @options[:workers] > 1"), "it uses @options"
        assert_equal "# TODO: Coppice has no @config.\nafter_mold_fork { start(@config.options) }",
          translated("before_fork { start(@config.options) }")
        assert_equal "# TODO: Coppice has no @options.\ntimeout Integer(@options[:n])",
          translated("worker_timeout @options[:n]")
      end

      test "a file of Puma's is not required within a condition" do
        assert_equal "timeout 9",
          translated("if ENV[\"A\"]\n  require_relative \"../lib/puma/plugin/a\"\n  plugin :a\nend\nworker_timeout 9")
        assert_includes note("workers 2 and require(\"puma/a\")", 'require("puma/a")'), "for Puma alone"
      end

      test "a literal environment names the flag that replaces it" do
        assert_includes note('environment "production"', :environment), "start with -E production"
        assert_includes note('environment ENV["RACK_ENV"]', :environment), "start with -E NAME"
        assert_includes note("bind_to_activated_sockets", :bind_to_activated_sockets), "FileDescriptorName=listen"
      end

      test "the block of cluster is a part of the file" do
        assert_equal "worker_processes 2\n  timeout 9", translated("cluster do\n  workers 2\n  worker_timeout 9\nend")
      end

      test "the count of workers tells what threads did" do
        assert_includes note("workers 2\nthreads 1, 5", :workers), "Puma served up to 2 × 5 requests at once"
        assert_includes note("n = ENV.fetch('N') { 3 }.to_i\nworkers 2\nthreads n, n", :workers), "2 × 3"
        refute_includes note("workers 2\nthreads 1", :workers), "at once"
        assert_includes note("threads 5", :worker_processes), "1.5 to 2 for each processor"
      end

      test "without workers and addresses there are Puma's defaults" do
        text = result("plugin :x").text
        values = evaluate(text)

        assert_equal :auto, values.values[:worker_processes]
        assert_equal [9292], values.values[:listen].map(&:port)
        refute_empty result("plugin :x").report
      end

      test "an address that is dropped or has a condition does not take the place of Puma's default silently" do
        tls = 'bind "ssl://0.0.0.0:8443?key=a&cert=b"'
        assert_equal [9292], evaluate(result(tls).text).values[:listen].map(&:port)
        assert_includes note(tls, :listen), "no address of the file is left"

        branches = "if tls\n  ssl_bind \"0.0.0.0\", 8443\nelse\n  port 3000\nend"
        assert_equal "unless tls\n  listen 3000\nend", translated(branches)
        assert_includes note(branches, :listen), "where no condition of line 4 holds, the server listens on port 8080"
        assert_includes note("port 1 if a\nport 2 if b", :listen), "lines 1 and 2"
        assert_nil note("if a\n  port 1\nelse\n  bind b\nend", :listen)
        assert_nil note("case a\nwhen 1 then port 1\nelse port 2\nend", :listen)
        assert_includes note("case a\nwhen 1 then port 1\nend", :listen), "line 2"
      end

      test "where conditions leave out workers, there are as many as without them" do
        text = "workers 2 if production\nport 3000"
        assert_includes note(text, :worker_processes), "where no condition of the file gives another number"
        assert_equal :auto, evaluate("production = false\n#{result(text).text}").values[:worker_processes]
        assert_equal 2, evaluate("production = true\n#{result(text).text}").values[:worker_processes]
        assert_nil note("if production\n  workers 2\nelse\n  workers 1\nend", :worker_processes)
      end

      test "directives are known without an argument" do
        assert_empty translated("daemonize\nset_remote_address\nrack_url_scheme\nfiber_per_request")
      end

      test "what is no directive is marked, unless it is Ruby's or the file's" do
        text = "if ENV[\"A\"]\n  worker_proceses 2\nend"
        assert_equal "# TODO: Coppice has no worker_proceses.\n#{text}", translated(text)
        assert_equal ["neither Puma nor Coppice has dawn"], [note("dawn", "dawn")]
        own = "def self.helper = 1\nhelper\nputs 1\nrequire \"etc\"\nlisten 80\nat_exit { 1 }\n%w[a].each { |a| b a }"
        assert_equal own, translated(own)
      end

      test "what another file has is not replaced by defaults" do
        assert_empty evaluate(result("_load_from \"puma/defaults.rb\"").text).values
        assert_includes note("load \"defaults.rb\"", :load), "import that file too"
      end

      test "what loads or needs the application is reported" do
        text = 'require File.expand_path("../config/environment", __dir__)'
        assert_includes note(text, text), "it loads the application"
        assert_equal text, translated(text)
        assert_includes note("workers 2 if Rails.env.test?", "workers 2 if Rails.env.test?"),
          "it needs Rails in the monitor, and before the application is loaded"
        own = "require \"dotenv/load\"\nmodule Own; end\nPORT = Integer(ENV[\"A\"])\nDotenv.load(Own, PORT, Etc, Set)"
        assert_empty result(own).entries.grep_v(->(entry) { entry.line.nil? })
        assert_empty notes("on_booted { Rails.env }", "on_booted { Rails.env }")
      end

      test "every line for a directive is one that Coppice reads" do
        found = evaluate(result(<<~RUBY).text)
          workers 2
          port 3000
          bind "unix:///run/app.sock"
          stdout_redirect "/dev/null", "/dev/null"
          early_hints
          log_requests
          http_content_length_limit 1024
          first_data_timeout 9
          persistent_timeout 9
          enable_keep_alives false
          worker_timeout 9
          worker_boot_timeout 9
          fork_worker
          before_fork { 1 }
          on_worker_fork { |index| index }
          after_worker_fork { |index| index }
          on_worker_boot { |index| index }
          on_worker_shutdown { |index| index }
          after_worker_shutdown { |handle| handle }
          on_refork { 1 }
          on_booted { 1 }
          on_thread_start { 1 }
          on_thread_exit { 1 }
          out_of_band { 1 }
        RUBY
        assert_equal %i[after_fork_in_parent after_mold_fork after_monitor_ready after_worker_exit after_worker_fork
                        after_worker_ready before_fork before_worker_exit on_out_of_band],
          found.hooks.keys.sort
        assert_equal [2, [1000], 9, 0],
          found.values.values_at(:worker_processes, :refork_after, :timeout, :keepalive_timeout)
      end

      private

      def evaluate(text)
        with_tmpdir do |folder|
          File.write("#{folder}/coppice.rb", text)
          found = Config::ConfigFile.read("coppice.rb", directory: folder)
          yield found, folder if block_given?
          found
        end
      end
    end
  end
end
