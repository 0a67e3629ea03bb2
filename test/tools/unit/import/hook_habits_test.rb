# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/imports"

module Coppice
  module Import
    # Hooks that rely on the process that was the master.
    class HookHabitsTest < TestCase
      include Imports

      FILE = "config/unicorn.rb"

      test "processes that a hook starts are better services" do
        ["@jobs ||= spawn('bundle exec sidekiq')", "fork { run }", "Process.daemon", "system('bin/jobs &')",
         "Demon::Sidekiq.start(2)", "::Daemons.run(path)", "MyDaemon.start", "x { Process.spawn('a') if b }"]
          .each { |code| assert_includes note("before_fork { |server| #{code} }", :before_fork), "`service`", code }
        assert_includes note("after_fork { |s, w| fork { run } if w.nr == 0 }", :after_fork), "`service`"
      end

      test "what starts no process is left alone" do
        ["Sidekiq.redis(&:close)", "system('a && b')", "Daemon.name", "job.fork", "Process.clock_gettime(1)",
         "Demonstration.start", "Sidekiq.configure_client { |c| c }"]
          .each { |code| refute_includes note("before_fork { |server| #{code} }", :before_fork), "service", code }
        refute_includes note("def spawn(x) = x\nbefore_fork { |server| spawn(1) }", :before_fork), "service"
      end

      test "handlers of signals that the old master got are told of" do
        text = "before_fork { |server|\n Signal.trap('SIGTSTP') { a }\n old = trap(:USR1) { b }\n trap(x) { c } }"
        assert_includes note(text, :before_fork), "its handlers of TSTP, USR1 get no signal that is sent to the server"
        refute_includes note("after_fork { |s, w| trap(:USR1) { a } }", :after_fork), "handlers"
        refute_includes note("before_fork { |server| bear.trap('USR1') }", :before_fork), "handlers"
      end
    end
  end
end
