# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/imports"

module Coppice
  module Import
    # What becomes of conditions that ask Puma for a directive.
    class GuardsTest < TestCase
      include Imports

      FILE = "config/puma.rb"

      VERSIONS = <<~'RUBY'
        if ENV["A"]
          # Both names.
          if respond_to?(:before_worker_boot)
            before_worker_boot do
              puts <<-A
            é
              A
            end
          else
            # For older versions, or else.
            on_worker_boot { old }
            on_booted { old }
          end
        end
        worker_timeout 9
      RUBY

      test "a condition that is nothing else is left out" do
        { "enable_keep_alives(false) if respond_to?(:enable_keep_alives)" => "keepalive_timeout(0, trusted: 0)",
          "on_booted do\n  a\nend if (respond_to?(\"on_booted\", true))" => "after_monitor_ready do\n  a\nend",
          "if respond_to? :pidfile # Puma 2\n  # It.\n  pidfile \"a\"\nend" => "# It.\npidfile \"a\"",
          "unless respond_to?(:pidfile)\n  a\nelse\n  pidfile \"a\"\nend" => "pidfile \"a\"",
          "if respond_to?(:quiet)\n  if respond_to?(:pidfile)\n    pidfile \"a\"\n  end\nelsif a\n  b\nend" =>
            "pidfile \"a\"" }.each { |text, expected| assert_equal expected, translated(text) }
        ["quiet unless respond_to?(:quiet)", "if respond_to?(:quiet)\nelse\n  a\nend"].each do |text|
          assert_empty translated(text)
        end
      end

      test "the branch for older versions is left out, and the report says so" do
        assert_equal "if ENV[\"A\"]\n  # Both names.\n  after_worker_fork do\n    puts <<-A\n    é\n      A\n" \
                     "  end\nend\ntimeout 9", translated(VERSIONS)
        found = result(VERSIONS).entries.select(&:line)
        assert_equal [4, 11, 12, 15], found.map(&:line)
        assert_equal %i[taken dropped dropped changed], found.map(&:outcome)
        assert_equal "for versions of Puma without before_worker_boot", note(VERSIONS, "on_booted { old }")
      end

      test "the lines of a branch that is left out are reported as they were written" do
        dropped = result(<<~'RUBY').entries.select { |entry| entry.outcome == :dropped }
          if respond_to?(:fork_worker) && respond_to?(:nakayoshi_fork)
            fork_worker
          else
            workers 3 if respond_to?(:quiet)
            puts 1 unless respond_to?(:tag)
            if respond_to?(:quiet) && ENV["Q"]
              quiet
            end
          end
        RUBY
        assert_equal [[4, "workers 3 if respond_to?(:quiet)"], [5, "puts 1 unless respond_to?(:tag)"],
                      [6, "if respond_to?(:quiet) && ENV[\"Q\"]"]], dropped.map { |entry| [entry.line, entry.name] }
        assert_equal ["for versions of Puma without nakayoshi_fork"], dropped.map(&:note).uniq
      end

      test "within a longer condition it is left out, or true" do
        { "worker_timeout 9 if respond_to?(:worker_timeout) && ENV[\"A\"]" => "timeout 9 if ENV[\"A\"]",
          "worker_timeout 9 if ENV[\"A\"] and respond_to?(:worker_timeout)" => "timeout 9 if ENV[\"A\"]",
          "respond_to?(:worker_timeout) && worker_timeout(9)" => "timeout(9)",
          "ENV[\"A\"] && respond_to?(:worker_timeout) and worker_timeout 9" => "ENV[\"A\"] and timeout 9",
          "ENV[\"A\"] and respond_to?(:worker_timeout) && worker_timeout(9)" => "ENV[\"A\"] and timeout(9)",
          "worker_timeout(respond_to?(:quiet) ? 9 : 8)" => "timeout(Integer(true ? 9 : 8))",
          "if a\n  b\nelsif respond_to?(:pidfile)\n  pidfile \"a\"\nend" =>
            "#{TODO}Coppice has no b.\nif a\n  b\nelsif true\n  pidfile \"a\"\nend",
          "on_booted { a if !respond_to?(:quiet) }" => "after_monitor_ready { a if !true }" }
          .each { |text, expected| assert_equal expected, translated(text) }
      end

      test "a branch that is left out may have statements without a text" do
        text = "if respond_to?(:pidfile)\n  pidfile \"a\"\nelse\n  begin\n  end\n  puts 1\nend"
        assert_equal "pidfile \"a\"", translated(text)
        assert_equal [2, 6], result(text).entries.filter_map(&:line)
      end

      test "another question stays" do
        ["puts 1 if respond_to?(:other)", "puts 1 if Object.respond_to?(:quiet)", "puts 1 if respond_to?(name)",
         "class A\n  b if respond_to?(:quiet)\nend"].each do |text|
          assert_includes result("worker_timeout 9\n#{text}").text, text
        end
      end

      test "hooks behind such conditions are joined" do
        assert_equal "after_worker_fork do\n  1\n\n  2\nend",
          translated("on_worker_boot { 1 } if respond_to?(:on_worker_boot)\nbefore_worker_boot { 2 }")
      end
    end
  end
end
