# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/imports"

module Coppice
  module Import
    # What becomes of the lines of a configuration for Unicorn.
    class UnicornTest < TestCase
      include Imports

      OLD_MASTER = <<~'RUBY'
        before_fork do |server, worker|
          disconnect

          # Stops the old master.
          old_pid = "#{server.config[:pid]}.oldbin"
          if File.exist?(old_pid) && server.pid != old_pid
            signal = (worker.nr + 1) >= server.worker_processes ? :QUIT : :TTOU
            Process.kill(signal, File.read(old_pid).to_i)
          end
          Kernel.sleep 1
        end
      RUBY

      FILE = "config/unicorn.rb"

      test "most lines stay as they are" do
        text = "worker_processes 2\nlisten \"/tmp/a.sock\", :backlog => 64\ntimeout 30\nstderr_path \"log/a\""
        assert_equal text, translated("#{text}\npreload_app true\nuser \"app\"")
        assert_equal "pidfile \"a.pid\"", translated("pid \"a.pid\"")
        assert_equal "directory File.expand_path(root)", translated("working_directory root")
        assert_equal "listen 80, backlog: 5", translated("listen 80, backlog: 5, accept_filter: \"httpready\"")
      end

      test "a relative path of a file of the server is taken over with a remark" do
        { "pid" => %w[tmp/a.pid /run/a.pid], "stdout_path" => %w[log/a.log ~/a.log],
          "stderr_path" => %w[log/a.log /var/log/a.log], "listen" => %w[unix:tmp/a unix:/run/a ~/a *:80] }
          .each do |name, paths|
            relative, *others = paths.map { |path| result("#{name} \"#{path}\"").entries.first }

            assert_equal [:taken], [relative, *others].map(&:outcome).uniq
            assert_includes relative.note, "a relative path stays in the first one"
            assert_equal [nil], others.map(&:note).uniq
          end
      end

      test "what Unicorn does without a directive is said" do
        assert_includes result("worker_processes 2").text,
          "# Unicorn's default, where Coppice has 20 seconds.\ntimeout 60\n\nworker_processes 2\n"
        assert_operator result("timeout 30 if slow").text, :end_with?, "timeout 60\n\ntimeout 30 if slow\n"
        refute_includes result("timeout 30").text, "60"
        assert_includes note("timeout 30", :preload_app), "always loaded before the fork"
        assert_equal 1, result("preload_app true").entries.count { |entry| entry.name == :preload_app }
      end

      test "hooks have time, as Unicorn has no limit for them" do
        hook = "after_fork { |server, worker| connect }"
        { "" => "60", "timeout 5" => "60", "timeout 90.5" => "90.5",
          "if slow\n  timeout 90\nelse\n  timeout 30\nend" => "90",
          "if slow\n  timeout 30\nelse\n  timeout 90\nend" => "90" }
          .each { |text, seconds| assert_match(/^spawn_timeout #{seconds}$/, result("#{text}\n#{hook}").text) }
        refute_match(/^spawn_timeout/, result("timeout 90").text)
        assert_includes note(hook, :spawn_timeout), "no limit for hooks"
      end

      test "hooks" do
        { "after_fork do |server, worker|\n  connect\nend" => "after_worker_fork do |server, worker|\n  connect\nend",
          "before_fork do |server, worker|\n  a\nend" => "before_fork do |server|\n  a\nend",
          "before_fork { |server, worker| a(worker) }" =>
            "#{TODO}which worker will be forked is not known: its nr is 0.\n" \
            "before_fork { |server, worker = Struct.new(:nr).new(0)| a(worker) }" }
          .each { |text, expected| assert_equal expected, translated(text) }
        assert_includes note("before_fork { |server, worker| a(worker) }", :before_fork), "its nr is 0"
        ["|server, worker| worker.nr", "|server, *rest| rest.first.nr"].each do |text|
          assert_equal 0, evaluate(translated("before_fork { #{text} }")).hooks[:before_fork].call(nil)
        end
      end

      test "a lambda that wants a worker gets its first number before the fork" do
        assert_equal "#{TODO}which worker will be forked is not known: its nr is 0.\nbefore_fork do |server|\n" \
                     "  (lambda { |s, w| s }).to_proc.call(server, Struct.new(:nr).new(0))\nend",
          translated("before_fork lambda { |s, w| s }")
        assert_equal "after_worker_fork lambda { |s, w| w }", translated("after_fork lambda { |s, w| w }")
        assert_includes note("before_fork { p _2 }", :before_fork), "the block has other arguments here"
      end

      test "a block that a later one replaces is dropped" do
        text = "after_fork { |s, w| one(w) }\nafter_fork { |server, worker| two(worker) }"

        assert_equal "after_worker_fork { |server, worker| two(worker) }", translated(text)
        assert_equal "Unicorn calls only the last block of after_fork", note(text, :after_fork)
        assert_empty translated("before_fork { disconnect }\nbefore_fork { |s, w| trap(:TERM) { exit } }")
      end

      test "the recipe that stops the old master is dropped" do
        assert_equal "before_fork do |server|\n  disconnect\nend", translated(OLD_MASTER)
        assert_empty translated(OLD_MASTER.sub("  disconnect\n", ""))
      end

      test "a recipe that turns TERM into QUIT is dropped" do
        text = "before_fork do |server, worker|\n  Signal.trap \"TERM\" do\n    puts \"Unicorn\"\n  end\n  a\nend"
        assert_equal "before_fork do |server|\n  a\nend", translated(text)
        assert_includes note(text, :before_fork), "without the statements that trapped TERM (the server stops"
        assert_empty translated(text.sub("  a\n", ""))
        assert_includes note(text.sub("  a\n", ""), :before_fork), "it only trapped TERM"
      end

      test "a hook that uses what is Unicorn's is marked" do
        text = "after_fork do |server, worker|\n  worker.user(\"app\")\nend"
        expected = "#{TODO}Coppice has no worker.user.\n#{text.sub('after_fork', 'after_worker_fork')}"
        assert_equal expected, translated(text)
        assert_empty translated("Unicorn::HttpServer::START_CTX[0] = \"/srv/bin/unicorn\"")
        assert_empty translated("class Unicorn::HttpServer\n  def a\n    b = 1\n    b\n  end\nend")
        assert_equal "#{TODO}Coppice has no RACKUP.\nlisten 80 unless RACKUP[:set_listener]",
          translated("listen 80 unless RACKUP[:set_listener]")
      end

      test "the report names line, outcome and reason, and speaks of signals" do
        lines = result("worker_processes 2\nuser \"a\"\nafter_fork { |s, w| 1 }").report

        assert_includes lines, "  line 1    worker_processes"
        assert(lines.any? { |line| line.match?(/\A  line 3    after_fork +after_worker_fork: its limit is `spawn/) })
        assert(lines.any? { |line| line.match?(/\A  line 2    user +start the server as/) })
        assert(lines.any? { |line| line.match?(/signals +logrotate must not send USR1/) })
        assert_equal ["taken over", "changed", "dropped"], lines.grep_v(/\A /)
      end

      test "a file that is not Ruby is refused" do
        error = assert_raises(ConfigError) { result("worker_processes 2\nlisten(") }

        assert_match(/\Aconfig\/unicorn\.rb:2: syntax error.*listen\(/m, error.message)
      end

      test "a file with an encoding that nobody knows is refused" do
        error = assert_raises(ConfigError) { result("# encoding: nonsense\nworker_processes 2") }

        assert_match(/\Aconfig\/unicorn\.rb: unknown encoding name: nonsense$/, error.message)
      end

      test "the server of another name is told by the directives" do
        assert_same Puma, Import.translate("workers 2\nthreads 1, 2", file: "web.rb").server
        assert_same Unicorn, Import.translate("worker_processes 2\nstdout_path \"a\"", file: "web.rb").server
        assert_raises(Error) { Import.translate("x = 1", file: "web.rb") }
      end
    end
  end
end
