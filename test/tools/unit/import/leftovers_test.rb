# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/imports"

module Coppice
  module Import
    # What a translated configuration for Puma still uses, and Coppice does not have.
    class LeftoversTest < TestCase
      include Imports

      FILE = "config/puma.rb"

      test "a hook that uses what is Puma's is marked" do
        assert_equal "#{TODO}Coppice has no Puma.\nafter_monitor_ready { Puma.stats }",
          translated("on_booted { Puma.stats }")
        assert_empty translated("require \"puma/daemon\"\n@config.options[:a] = 1")
      end

      test "what has to be done by hand for a line that is dropped is marked, with its condition" do
        proxy = "set_remote_address(proxy_protocol: :v1) if ENV['PROXY'] == '1'"
        assert_equal "timeout 1\n#{TODO}listen …, proxy_protocol: true, in place of: #{proxy}\ntimeout 2",
          translated("timeout 1\n# Theirs.\n#{proxy}\ntimeout 2")
        assert_includes note(proxy, :set_remote_address), "listen …, proxy_protocol: true"

        header = "if a\n  quiet\n  set_remote_address header: 'X-Real-IP'\nend"
        assert_equal "#{TODO}take the client's address from the header, in place of: " \
                     "if a quiet set_remote_address header: 'X-Real-IP' end", translated(header)
        assert_includes note(header, :set_remote_address), "request.remote_ip"
        assert_match(/\A# TODO: \[coppice\] .*: set_remote_address\(header: b\)\nnil \|\| timeout\(9\)\z/,
          translated("a && set_remote_address(header: b) || timeout(9)"))
      end

      test "the scheme is to be written to each address" do
        line = "rack_url_scheme \"https\" if production"
        assert_equal "#{TODO}listen …, scheme: :https, in place of: #{line}", translated(line)
        assert_equal "#{TODO}listen …, scheme: :http or :https, in place of: rack_url_scheme scheme",
          translated("rack_url_scheme scheme")
        assert_empty translated("rack_url_scheme \"http\"")
      end

      test "what has to be done by hand for a part of a line, or for a branch, is marked above its statement" do
        call = "set_remote_address header: 'X-Real-IP'"
        task = "#{TODO}take the client's address from the header, in place of: #{call}\n"
        assert_equal "port = 1\n#{task}if production\n  worker_processes 2\nend",
          translated("port = 1\nif production\n  workers 2\nelse\n  #{call}\nend")
        assert_equal "#{task}nil; worker_processes 2", translated("#{call}; workers 2")
      end

      test "a bare directive of a plugin is dropped, and ARGV is Ruby's" do
        assert_equal "p ARGV", translated("prometheus_silence_logger\np ARGV")
      end

      test "a name in a text, a comment or a constant of the application is not Puma" do
        text = "module Shop; end\nhandler = Shop::Puma::Handler.new\non_booted { handler.call \"Puma\" } # Puma"
        assert_equal text.sub("on_booted", "after_monitor_ready"), translated(text)
        assert_empty translated("require \"localhost/authority\"\n::Puma::Plugin.new\nputs Puma.stats if verbose")
      end

      test "what reads Puma's own objects and stays is marked" do
        text = "level = Puma::Const::VERSION.to_i\non_booted { puts level }"
        assert_equal "#{TODO}Coppice has no Puma.\n#{text.sub('on_booted', 'after_monitor_ready')}", translated(text)
        assert_includes note(text, "level = Puma::Const::VERSION.to_i"), "which Coppice does not have"

        text = "if @options[:workers] > 1\n  on_booted { 1 }\nelse\n  quiet\nend"
        assert_equal "#{TODO}Coppice has no @options.\nif @options[:workers] > 1\n  after_monitor_ready { 1 }\nend",
          translated(text)
        assert_includes note(text, "if @options[:workers] > 1"), "it uses @options"
        assert_equal "#{TODO}Coppice has no @config.\nafter_mold_fork { start(@config.options) }",
          translated("before_fork { start(@config.options) }")
        assert_equal "#{TODO}Coppice has no @options.\ntimeout Integer(@options[:n])",
          translated("worker_timeout @options[:n]")
      end

      test "a file of Puma's is not required within a condition" do
        assert_equal "timeout 9",
          translated("if ENV[\"A\"]\n  require_relative \"../lib/puma/plugin/a\"\n  plugin :a\nend\nworker_timeout 9")
        assert_includes note("workers 2 and require(\"puma/a\")", 'require("puma/a")'), "for Puma alone"
      end

      test "what is no directive is marked, unless it is Ruby's or the file's" do
        text = "if ENV[\"A\"]\n  worker_proceses 2\nend"
        assert_equal "#{TODO}Coppice has no worker_proceses.\n#{text}", translated(text)
        assert_equal ["neither Puma nor Coppice has dawn"], [note("dawn", "dawn")]
        own = "def self.helper = 1\nhelper\nputs 1\nrequire \"etc\"\nlisten 80\nat_exit { 1 }\n%w[a].each { |a| b a }"
        assert_equal own, translated(own)
      end

      test "what loads or needs the application is marked" do
        text = 'require File.expand_path("../config/environment", __dir__)'
        assert_includes note(text, text), "it loads the application"
        assert_equal "#{TODO}it loads the application, which the monitor must not have.\n#{text}", translated(text)
        needs = "it needs Rails in the monitor, and before the application is loaded"
        assert_equal [needs], notes("workers 2 if Rails.env.test?", "workers 2 if Rails.env.test?")
        assert_equal "#{TODO}#{needs}.\nworker_processes 2 if Rails.env.test?",
          translated("workers 2 if Rails.env.test?")
        assert_equal "#{TODO}#{needs.sub("Rails", "Shop")}.\ncount = (Shop::CPUS * 1.5).ceil\n" \
                     "worker_processes Integer(count, exception: false) || :auto",
          translated("count = (Shop::CPUS * 1.5).ceil\nworkers count")
        both = translated("x = Puma.stats[:a] if Rails.env.test?\ntimeout x")
        assert_operator both, :start_with?, "#{TODO}Coppice has no Puma.\n#{TODO}#{needs}.\nx = "
        own = "require \"dotenv/load\"\nmodule Own; end\nPORT = Integer(ENV[\"A\"])\nDotenv.load(Own, PORT, Etc, Set)"
        assert_empty result(own).entries.grep_v(->(entry) { entry.line.nil? })
        assert_empty notes("on_booted { Rails.env }", "on_booted { Rails.env }")
      end

      test "the report has what to change by hand under a heading of its own, at its end" do
        lines = result("workers 2 if Rails.env.test?\nquiet\non_booted { Puma.stats }\nx = Puma::A\ntimeout x").report
        by_hand = lines.drop_while { |line| !line.include?("by hand") }
        assert_equal "to be changed by hand, marked with TODO", by_hand.first
        assert_equal [1, 3, 4], by_hand.drop(1).map { |line| line[/\A  line (\d)/, 1].to_i }
        refute_includes result("workers 2").report.join, "by hand"
      end

      test "a hook of the monitor that loads or needs the application is marked" do
        text = "on_booted { SdNotify.ready if defined?(SdNotify) }"
        assert_equal "#{TODO}it needs SdNotify, which the monitor has not loaded.\n" \
                     "#{text.sub('on_booted', 'after_monitor_ready')}", translated(text)
        assert_includes note(text, :on_booted), "it needs SdNotify, which the monitor has not loaded"
        assert_operator translated("after_worker_shutdown { require_relative \"environment\" }"), :start_with?,
          "#{TODO}it loads the application"
        ["on_booted { require \"sd_notify\"; SdNotify.ready }", "on_booted { File.write(\"a\", Process.pid) }",
         "on_worker_boot { SdNotify.ready }", "class Own; end\non_booted { Own.new }"]
          .each { |kept| refute_includes translated(kept), "TODO" }
      end
    end
  end
end
