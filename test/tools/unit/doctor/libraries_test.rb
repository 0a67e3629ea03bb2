# frozen_string_literal: true

require "test_helper"
require "coppice/config/service_definition"
require "coppice/config/services"
require "coppice/tools/doctor/libraries"

module Coppice
  module Doctor
    class LibrariesTest < TestCase
      # In the place of settings: the presets that are off, the names of the hooks and those of the services.
      Settings = Struct.new(:fork_safety_presets, :hooks, :names) do
        def hook(name) = hooks.include?(name)
        def services = names.map { |name| Config::ServiceDefinition.new(name: name) }
      end

      # The entry of a library whose advice names before_fork and before_worker_exit.
      def library(name = :analytics_ruby, version: "2.5.0", used: [true], hooks: [], blocks: [], services: [],
                  presets: true, unguarded: false)
        events = used.map { |one| { name: name.to_s, version: version, used: one, unguarded: unguarded } }
        Libraries.new(events, blocks, Settings.new(presets, hooks, services)).all.first
      end

      def block(moment, gem = nil) = { moment: moment, gem: gem, place: "config.ru:1" }

      test "a library whose advice nobody has acted upon needs care" do
        assert_equal [:care, "analytics-ruby", "2.5.0"], library.to_h.values_at(:severity, :name, :version)
        assert_equal :care, library(hooks: %i[before_fork]).severity
        assert_nil library(presets: { except: [:analytics_ruby] }).severity
      end

      test "hooks of the configuration and blocks of Coppice.at_fork count as acting, those of other gems do not" do
        found = library(hooks: %i[before_worker_exit], blocks: [block("before")])

        assert_nil found.severity
        assert_includes found.advice, "Coppice.at_fork(before: …) in config.ru:1 and the hook before_worker_exit"
        assert_nil library(hooks: %i[before_worker_exit], blocks: [block("before", "analytics-ruby")]).severity
        assert_equal :care, library(hooks: %i[before_worker_exit], blocks: [block("before", "pg")]).severity
        assert_equal :care, library(hooks: %i[before_worker_exit], blocks: [block("after_in_mold")]).severity
      end

      test "a service counts where the advice is to run one" do
        assert_equal :care, library(:good_job).severity
        assert_nil library(:good_job, services: %w[jobs]).severity
        assert_includes library(:good_job, services: %w[jobs]).advice, "you have the service jobs; see that it does"
        assert_equal :care, library(services: %w[jobs]).severity
      end

      test "a hook that the row of an older version names is shown what it must do" do
        assert_equal "you have the hook after_mold_fork; see that it does this: `after_mold_fork`: `http.shutdown` " \
                     "for each `Net::HTTP::Persistent` that is kept",
          library(:net_http_persistent, version: "4.0.7", hooks: %i[after_mold_fork]).advice
      end

      test "a service for another library does not count, nor do others beside the library's own" do
        assert_equal :care, library(:listen, services: %w[solid_queue]).severity
        own = library(:solid_queue, services: %w[jobs solid_queue])
        assert_includes own.advice, "you have the service solid_queue;"
      end

      test "what is configured is not compared with an advice that is only for some uses of a library" do
        vips = library(:ruby_vips, services: %w[jobs])
        assert_operator vips.advice, :start_with?, "process no image while the application boots"
        concurrent = library(:concurrent_ruby, hooks: %i[after_worker_fork])
        assert_operator concurrent.advice, :start_with?, "nothing for pools"
        assert_equal [nil, nil], [vips, concurrent].map(&:severity)
      end

      test "the verdict says that something is configured" do
        assert_equal "you must act", library(:solid_queue).verdict
        assert_equal "you must act, and have configured something for it",
          library(:solid_queue, services: %w[solid_queue]).verdict
      end

      test "another version than the preset is for needs care only if there is something to do" do
        assert_equal [nil, "safe: this version needs nothing"],
          library(:opentelemetry_sdk, version: "1.9.0").to_h.values_at(:severity, :verdict)
        assert_equal [:care, "another version than the preset is for"],
          library(:redis_client, version: "0.11.0").to_h.values_at(:severity, :verdict)
        assert_nil library(:sidekiq, version: "6.5.12").severity # only with an old redis
        assert_equal :care, library(:appsignal, version: "6.0.0").severity # its preset would act
      end

      test "a library that is not safe, and that nothing guards, is a danger until its preset is turned off" do
        cable = { version: "9.0.0.alpha", unguarded: true, services: %w[cable] }
        found = library(:actioncable, **cable)

        assert_equal [:danger, nil], found.to_h.values_at(:severity, :does)
        assert_match(/nothing guards it/, found.verdict)
        assert_match(/process of their own.* except: \[:actioncable\]/, found.advice)
        assert_nil library(:actioncable, **cable, presets: { except: [:actioncable] }).severity
      end

      test "a library that no process has used is only told" do
        assert_equal [nil, false], library(used: [false, false]).to_h.values_at(:severity, :used)
        assert_equal [:care, true], library(used: [false, true]).to_h.values_at(:severity, :used)
      end
    end
  end
end
