# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/imports"

module Coppice
  module Import
    # What becomes of the lines of a configuration for Puma.
    class PumaTest < TestCase
      include Imports

      FILE = "config/puma.rb"

      test "values and conditions stay as they are written" do
        assert_equal 'listen ENV.fetch("PORT") { 3000 }', translated('port ENV.fetch("PORT") { 3000 }')
        assert_equal "worker_processes Integer(ENV[\"N\"] || 2) unless quick",
          translated("workers Integer(ENV[\"N\"] || 2) unless quick")
        assert_equal "if production\n  timeout 60\nend", translated("if production\n  worker_timeout 60\nend")
        assert_equal "max_body_bytes(1024)", translated("http_content_length_limit(1024)")
        assert_equal "keepalive_timeout 0, trusted: 0", translated("enable_keep_alives false")
      end

      test "what may be a text becomes a number" do
        assert_equal 'timeout Integer(ENV.fetch("LIMIT", 60))', translated('worker_timeout ENV.fetch("LIMIT", 60)')
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

      test "the time for a load balancer's connections is never shorter than the default" do
        { "0" => "0, trusted: 0", "1" => "1", "75" => "75", "76" => "76, trusted: 76",
          "n" => "Integer(n), trusted: [Integer(n), 75].max" }.each do |given, expected|
          assert_equal "keepalive_timeout #{expected}", translated("persistent_timeout #{given}")
        end
        assert_includes note("persistent_timeout 9", :persistent_timeout), "stays at 75 s unless this is longer"
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
        assert_includes note("port 3000", :port), "on localhost alone where the environment is named development"
        assert_nil note('port 3000, "127.0.0.1"', :port)
      end

      test "an address that is known only later means the same" do
        line = translated("bind target")
        [%w[tcp://0.0.0.0:3000 0.0.0.0:3000], %w[unix:///run/app.sock?umask=0111 /run/app.sock]].each do |uri, address|
          values = evaluate("target = #{uri.inspect}\n#{line}")
          assert_equal [address], values.values[:listen].map(&:to_s)
        end
      end

      test "the host of a port that is known only later may be one of IPv6" do
        ["port 3000, host", "port ENV.fetch(\"NO_SUCH\", 3000), host", "port(3000, nil || host)"].each do |text|
          { "::" => "[::]:3000", "::1" => "[::1]:3000", "[::1]" => "[::1]:3000", "127.0.0.1" => "127.0.0.1:3000",
            "localhost" => "localhost:3000" }.each do |host, address|
            values = evaluate("host = #{host.inspect}\n#{translated(text)}")
            assert_equal [address], values.values[:listen].map(&:to_s)
          end
        end
      end

      test "a parameter of an address may have no value, and a question mark may be part of an expression" do
        assert_equal 'listen "0.0.0.0:3000", tcp_nodelay: true', translated('bind "tcp://0.0.0.0:3000?low_latency"')
        assert_equal 'listen "0.0.0.0:3000"', translated('bind "tcp://0.0.0.0:3000?backlog&umask"')
        assert_includes note('bind "tcp://0.0.0.0:3000?backlog"', :bind), "without backlog"
        assert_equal "listen \"0.0.0.0:\#{port}\", backlog: 9", translated("bind \"tcp://0.0.0.0:\#{port}?backlog=9\"")
        { "\"tcp://0.0.0.0:\#{tls ? 3001 : 3000}\"" => "0.0.0.0:3001",
          "\"unix://\#{[tls].map { |one| one }.any? ? '/run/é.sock' : 1}?umask=\#{7}\"" => "/run/é.sock" }
          .each do |text, address|
            values = evaluate("tls = true\n#{translated("bind #{text}")}")
            assert_equal [address], values.values[:listen].map(&:to_s)
          end
      end

      test "what cannot be taken over is not, though a part of the address is an expression" do
        assert_includes note("bind \"ssl://0.0.0.0:\#{tls ? 3001 : 3000}\"", :bind), "no TLS"
        assert_includes note("bind \"unix://@\#{tls ? 1 : 2}\"", :bind), "abstract names"
      end

      test "the path of a directory becomes absolute" do
        assert_equal 'directory File.expand_path("app")', translated('directory "app"')
        assert_includes note('directory "app"', :directory), "must be absolute"
        ["root = File.expand_path('..', __dir__)\ndirectory root", "directory File.expand_path('../..', __FILE__)"]
          .each { |text| assert_includes note(text, :directory), "may have no symlink" }
        assert_nil note('directory "/srv/app/current"', :directory)
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

      test "a relative path of a file of the server has a remark" do
        { 'stdout_redirect "/a", "b"' => true, 'stdout_redirect "/a", "~/b"' => false, "stdout_redirect a" => false,
          'bind "unix://tmp/a"' => true, 'bind "unix:///a"' => false, 'bind "tcp://a:80"' => false }
          .each do |text, relative|
            remark = result(text).entries.first.note.to_s.include?("a relative path stays in the first one")

            assert_equal relative, remark, text
          end
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
        assert_equal "worker_processes 2..(2 * Integer(ENV.fetch(\"MAX\") { 5 })).clamp(2, 1024)", translated(<<~RUBY)
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

      test "what a plugin has added goes with it, and the report says what is lost and what there is for it" do
        text = <<~RUBY
          plugin :yabeda
          plugin :yabeda_prometheus
          prometheus_exporter_url "tcp://0.0.0.0:9396/metrics"
          on_prometheus_exporter_boot { 1 }
          plugin :metrics
          metrics_url "tcp://127.0.0.1:9393"
          plugin :solid_queue
          solid_queue_mode :async
          timeout 9
        RUBY

        assert_equal translated("plugin :solid_queue\ntimeout 9"), translated(text)
        { yabeda: "admin_listen", statsd: "on_stats", yabeda_prometheus: "Yabeda::Prometheus::Exporter",
          shop: "only hooks" }.each { |name, word| assert_includes note("plugin :#{name}", :plugin), word }
        assert_includes note(text, :metrics_url), "a directive of a plugin"
      end

      test "PumaWorkerKiller goes with the file that it is required from" do
        killer = ["require 'puma_worker_killer'", "PumaWorkerKiller.enable_rolling_restart(3600)",
                  "PumaWorkerKiller.config { |config| config.ram = 512 }"]
        text = "#{killer.join("\n")}\nPumaWorkerKiller.start if production\ntimeout 9"

        assert_equal "timeout 9", translated(text)
        killer.each { |line| assert_includes note("#{line}\ntimeout 9", line), "see worker_memory_limit" }
      end

      test "one branch of a condition may be left" do
        assert_equal "unless admin\n  listen 3000\nend", translated("if admin\n  quiet\nelse\n  port 3000\nend")
        assert_equal "if admin\n  listen 3000\nend", translated("if admin\n  port 3000\nelse\n  quiet\nend")
        assert_equal "admin ? listen(3000) : nil", translated("admin ? port(3000) : plugin(:x)")
      end

      test "a comment of worker_timeout, which limits no request in Puma, goes" do
        comment = "# This is not a request timeout.\n"
        ["", " if development"].each do |condition|
          text = "# Few.\nworkers 2\n#{comment}worker_timeout 60#{condition}"
          assert_equal "# Few.\nworker_processes 2\ntimeout 60#{condition}", translated(text)
        end
        assert_equal "if a\n  timeout 60\nend", translated("if a\n  #{comment}  worker_timeout 60\nend")
        assert_equal "unless a\n  timeout 60\nend",
          translated("if a\n  quiet\nelse\n  #{comment}  worker_timeout 60\nend")
        assert_equal "timeout 60", translated("cluster do\n  #{comment}  worker_timeout 60\nend")
        assert_equal "#{comment}timeout 60; timeout 9", translated("#{comment}timeout 60; worker_timeout 9")
        assert_equal "# Owner: ops.\ntimeout 60", translated("# Owner: ops.\nworker_timeout 60")
      end

      test "other comments and code stay" do
        magic = "# frozen_string_literal: true\n"
        text = "# Ports are assigned by\n# the platform.\nrequire \"etc\"\n\ndef tag(name) = name\ntag \"a\"\n"
        assert_operator result("#{magic}\n#{text}").text, :start_with?, magic
        assert_includes result("#{magic}\n#{text}").text, text
      end

      test "a literal environment names the flag that replaces it" do
        assert_includes note('environment "production"', :environment), "start with -E production"
        assert_includes note('environment ENV["RAILS_ENV"]', :environment), "start with -E NAME"
        assert_includes note("environment 'a b'", :environment), 'start with -E a\ b. That sets RACK_ENV alone'
        assert_includes note("bind_to_activated_sockets", :bind_to_activated_sockets), "FileDescriptorName=listen"
      end

      test "a rackup file that is not the default has to be an argument" do
        assert_includes note("rackup 'other.ru'", :rackup), "coppice other.ru"
        assert_includes note("rackup 'my app.ru'", :rackup), 'coppice my\ app.ru'
        assert_includes note("rackup File.join(root, 'other.ru')", :rackup), "coppice FILE"
        assert_equal "it is the default", note("rackup 'config.ru'", :rackup)
      end

      test "a hook of restarts that sets the bundle is replaced by a roll" do
        text = "on_restart { ENV['BUNDLE_GEMFILE'] = \"\#{Dir.pwd}/Gemfile\" }"
        assert_empty translated(text)
        assert_includes note(text, :on_restart), "`coppice roll`"
      end

      test "the block of cluster is a part of the file" do
        assert_equal "worker_processes 2\n  timeout 9", translated("cluster do\n  workers 2\n  worker_timeout 9\nend")
      end

      test "directives are known without an argument" do
        assert_empty translated("daemonize\nset_remote_address\nrack_url_scheme\nfiber_per_request")
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
    end
  end
end
