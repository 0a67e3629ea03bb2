# frozen_string_literal: true

require "test_helper"
require "stringio"
require "coppice/config/service_definition"
require "coppice/config/settings"
require "coppice/log"
require "coppice/single"
require "coppice/single/warnings"

module Coppice
  class SingleWarningsTest < TestCase
    test "what has no effect in the file, and what one process does not have, is logged" do
      jobs = Config::ServiceDefinition.new(name: "jobs", block: -> {}).freeze
      log = warnings(notes: ["config/unicorn.rb:3: user has no effect"], services: [jobs],
        values: { admin_listen: [Listeners::Address.parse(9293)], worker_processes: 0 })

      assert_match(/warn .*questionable configuration.* why="config\/unicorn\.rb:3: user has no effect"/, log)
      assert_match(/warn .*admin_listen and on_stats have no effect/, log)
      assert_match(/warn .*services are not run .* services=jobs$/, log)
    end

    test "each hook that is never called is named" do
      hooks = Config::HOOKS.to_h { |hook| [hook.name, -> {}] }
      log = warnings(hooks: hooks, values: { worker_processes: 0 })

      named = log[/hooks are not called without worker processes.* hooks="(.*)"$/, 1].split
      assert_equal hooks.keys - Single::HOOKS - %i[on_stats], named.map(&:to_sym)
      assert_includes named, "after_mold_fork"
      refute_includes named, "after_monitor_ready"
    end

    test "a plain configuration has no warnings" do
      assert_empty warnings(values: { worker_processes: 0 })
    end

    private

    def warnings(**options)
      StringIO.new.tap do |page|
        Single::Warnings.new(Config::Settings.new(**options), Log.new(page, role: :single)).call
      end.string
    end
  end
end
