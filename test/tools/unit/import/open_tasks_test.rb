# frozen_string_literal: true

require "test_helper"
require "coppice/tools/import"
require "coppice/tools/import/open_tasks"

module Coppice
  module Import
    # What a translated file still asks its user to change.
    class OpenTasksTest < TestCase
      # Lines that `coppice import` marks, each with another sentence.
      MARKED = { "config/unicorn.rb" => [
        "before_fork { |server, worker| a(worker) }", "before_fork { p _2 }", "before_fork { Unicorn::HttpServer }",
        "after_worker_exit { |server, worker, status| Report.send(status) }", "require \"./config/environment\"",
        "nonsense 1"
      ], "config/puma.rb" => [
        "on_booted { Puma.stats }", "set_remote_address header: \"X-Real-IP\"",
        "set_remote_address proxy_protocol: :v1", "before_worker_fork { |index| p index }",
        "rack_url_scheme \"https\"", "workers 2; workers 3 if Rails.env.test?"
      ] }.freeze

      test "it finds each comment that coppice import writes" do
        MARKED.each do |file, lines|
          lines.each do |line|
            text = Import.translate("\n#{line}\n", file: file).text
            numbers = text.lines.each.with_index(1).select { |one, _| one.include?("# TODO: ") }.map(&:last)
            refute_empty numbers, text
            assert_equal numbers, tasks(text).grep(/TODO/).map { |task| task[/:(\d+):/, 1].to_i }, text
          end
        end
      end

      test "it leaves other comments alone" do
        assert_empty tasks("# TODO: buy milk\n# TODO: it needs milk\nbefore_fork { 1 } # TODO: more\n# Puma was here")
      end

      test "comments in another encoding are no obstacle" do
        assert_equal ["a.rb:2: TODO: Coppice has no Puma."],
          tasks("# caf\xe9\n# TODO: [coppice] Coppice has no Puma.\nafter_worker_fork { 1 if defined?(Puma) }")
        assert_equal ["a.rb:3: before_fork uses Puma, which is not in the bundle: it will raise a NameError"],
          tasks("# encoding: iso-8859-1\nx = /\xe9+/\nbefore_fork { Puma.stats }")
      end

      test "it finds constants of another server in hooks, where they are used without a question" do
        text = "x = 1\nafter_worker_fork do\n  Puma.stats\n  Shop::Unicorn.new\nend"
        assert_equal ["a.rb:3: after_worker_fork uses Puma, which is not in the bundle: it will raise a NameError"],
          tasks(text)
        assert_empty tasks(text, gems: ["puma"])
        assert_empty tasks("before_fork { Unicorn.x if defined?(Unicorn) }\nbefore_fork { Shop::Puma }")
      end

      test "it names a constant once, by the hook that the server knows" do
        assert_equal [1, "before_fork"],
          tasks("before_fork { Puma.a; Puma.b; after_x { Puma.c } }").then { |all| [all.size, all.join[/1: (\w+)/, 1]] }
      end

      private

      def tasks(text, gems: []) = OpenTasks.new(text, file: "a.rb", gems: gems).to_a
    end
  end
end
