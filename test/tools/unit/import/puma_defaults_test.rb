# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/imports"

module Coppice
  module Import
    # What is added for a configuration for Puma that leaves it to the server.
    class PumaDefaultsTest < TestCase
      include Imports

      FILE = "config/puma.rb"

      test "without workers and addresses there are Puma's defaults" do
        text = result("plugin :x").text
        values = evaluate(text)

        assert_equal :auto, values.values[:worker_processes]
        assert_equal [9292], values.values[:listen].map(&:port)
        assert_includes note("plugin :x", :timeout), "here it is 20 s, and 60 s as long as"
        refute_empty result("plugin :x").report
      end

      test "a variable that would replace an address or the workers is named, unless the line has it itself" do
        own = "port ENV.fetch('PORT', 3000)\nworkers ENV.fetch('WEB_CONCURRENCY', 2)"
        other = "if ENV['SOCKET']\n  bind 'unix:///tmp/s'\nelse\n  #{own}\nend"

        assert_empty notes(own, "PORT") + notes(own, "WEB_CONCURRENCY")
        assert_equal ["where it is set, it replaces the addresses of the file"], notes(other, "PORT")
        remark = "where it is set, it replaces the number of workers of the file, and may be a range such as 2..16"
        ["workers 2", "threads 3", "#{own}\nthreads 3"].each do |text|
          assert_equal [remark], notes(text, "WEB_CONCURRENCY"), text
        end
      end

      test "an address that is dropped or has a condition does not take the place of Puma's default silently" do
        tls = 'bind "ssl://0.0.0.0:8443?key=a&cert=b"'
        assert_equal [9292], evaluate(result(tls).text).values[:listen].map(&:port)
        assert_includes note(tls, :listen), "no address of the file is left"

        branches = "if tls\n  ssl_bind \"0.0.0.0\", 8443\nelse\n  port 3000\nend"
        assert_equal "unless tls\n  listen 3000\nend", translated(branches)
        assert_includes note(branches, :listen), "where line 4 is not reached, the server listens on port 8080"
        assert_includes note("port 1 if a\nport 2 if b", :listen), "none of the lines 1, 2 is reached"
        assert_nil note("if a\n  port 1\nelse\n  bind b\nend", :listen)
        assert_nil note("case a\nwhen 1 then port 1\nelse port 2\nend", :listen)
        assert_nil note("case a\nin 1 then port 1\nelse port 2\nend", :listen)
        assert_nil note("begin\n  port 1\nrescue KeyError\n  port 2\nend", :listen)
        assert_includes note("case a\nwhen 1 then port 1\nend", :listen), "line 2"
        assert_includes note("begin\n  port 1\nrescue KeyError\nend", :listen), "line 2"
      end

      test "where conditions leave out workers, there are as many as without them" do
        text = "workers 2 if production\nport 3000"
        assert_includes note(text, :worker_processes), "where no condition of the file gives another number"
        assert_equal :auto, evaluate("production = false\n#{result(text).text}").values[:worker_processes]
        assert_equal 2, evaluate("production = true\n#{result(text).text}").values[:worker_processes]
        assert_nil note("if production\n  workers 2\nelse\n  workers 1\nend", :worker_processes)
      end

      test "what another file has is not replaced by defaults" do
        assert_empty evaluate(result("_load_from \"puma/defaults.rb\"").text).values
        assert_includes note("load \"defaults.rb\"", :load), "import that file too"
      end
    end
  end
end
