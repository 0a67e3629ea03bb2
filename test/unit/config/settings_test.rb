# frozen_string_literal: true

require "test_helper"
require "coppice/config/loader"

module Coppice
  module Config
    class SettingsTest < TestCase
      test "is frozen, with a reader for each option" do
        settings = Settings.new(values: { worker_processes: 3 })
        assert_predicate settings, :frozen?
        assert_equal 3, settings.worker_processes
        OPTIONS.each { |option| assert_respond_to settings, option.name }
      end

      test "the server's values are those of all options in its scope" do
        values = Settings.new(values: { worker_processes: 3, pidfile: "/server.pid" }).server_values

        assert_equal "/server.pid", values[:pidfile]
        assert_equal OPTIONS.select { |option| option.scope == :server }.map(&:name), values.keys
      end

      test "answers hooks by name" do
        block = proc {}
        settings = Settings.new(values: {}, hooks: { before_fork: block })
        assert_same block, settings.hook(:before_fork)
        assert_nil settings.hook(:after_worker_fork)
        assert_raises(KeyError) { settings.hook(:nonsense) }
        assert_equal HOOKS.names, settings.hooks.keys
      end

      test "the hard limit is the sum of both" do
        assert_equal 7.5, Settings.new(values: { timeout: 5, timeout_cleanup: 2.5 }).hard_timeout
      end

      test "learned paths come after the user's, and without any there is no warm-up" do
        learning = Settings.new(values: { warm_up_requests: ["/", :learned] })
        nothing = Settings.new(values: { warm_up_requests: [:learned] })
        warm = learning.with_learned_paths(["/products", "/"])

        assert_equal [true, ["/", "/products"], true], [warm.learns_paths?, warm.warm_up_paths, warm.warm_up?]
        assert_equal [true, [], false], [nothing.learns_paths?, nothing.warm_up_paths, nothing.warm_up?]
        assert_equal [false, []], [Settings.new.learns_paths?, Settings.new.warm_up_paths]
      end

      test "what is measured in development is of no use later" do
        kept = %w[production development].map { |name| Settings.new(environment_name: name).keeps_measurement? }

        assert_equal [true, false], kept
        refute_predicate Settings.new(values: { gc_profile: :ruby }), :keeps_measurement?
      end

      test "the longest and the shortest limit of all paths count for what waits for any request" do
        routes = [[:path, "/exports", 120], [:regexp, "x", 0.5]]
        limits = { timeout: 5, timeout_cleanup: 2, client_header_timeout: 15 }
        settings = Settings.new(values: { **limits, timeout_for: routes })

        assert_equal [120, 0.5, 122, 137],
          [settings.longest_timeout, settings.shortest_timeout, settings.hard_timeout, settings.longest_turn]
      end

      test "the limit of cold workers counts for the longest one" do
        settings = Settings.new(values: { timeout: 5, timeout_cleanup: 2, timeout_cold: 15 })

        assert_equal [15, 5, 17, 22],
          [settings.longest_timeout, settings.shortest_timeout, settings.hard_timeout, settings.longest_stop]
      end

      test "the signal is a name, or asked for with the pid" do
        assert_equal :KILL, Settings.new.timeout_signal_for(1)
        assert_equal :"S7", Settings.new(values: { timeout_signal: ->(pid) { :"S#{pid}" } }).timeout_signal_for(7)
      end

      test "travels as plain values" do
        settings = full
        wire = settings.to_wire
        assert_plain wire
        copy = Settings.from_wire(Marshal.load(Marshal.dump(wire)))
        (OPTIONS.names - %i[logger timeout_signal]).each do |name|
          assert_equal [settings.public_send(name)], [copy.public_send(name)]
        end
        assert_equal "config/coppice.rb:3", copy.origin(:timeout)
        assert_equal [[:require, "json"]], copy.ruby_flags.list
        assert_equal %w[config/coppice.rb config.ru test], [copy.config_file, copy.rackup, copy.environment_name]
      end

      test "what cannot travel has its default, unless the receiver has its own" do
        wire = full.to_wire
        assert_equal :KILL, Settings.from_wire(wire).timeout_signal
        assert_nil Settings.from_wire(wire).logger
        copy = Settings.from_wire(wire, hooks: { before_fork: proc {} }, logger: :mine)
        assert_equal :mine, copy.logger
        refute_nil copy.hook(:before_fork)
      end

      test "a mold evaluates the file again, for hooks and logger only" do
        with_tmpdir do |folder|
          Dir.chdir(folder) do
            File.write("coppice.rb", "worker_processes 2\nbefore_fork { :first }")
            wire = Loader.new(arguments: %w[-c coppice.rb], environment: {}, directory: folder).load.to_wire
            refute_predicate Settings.evaluate_in_mold(wire), :config_changed?

            File.write("coppice.rb", "worker_processes 9\nbefore_fork { :second }\nlogger Logger.new(File::NULL)")
            settings = Settings.evaluate_in_mold(wire)
            assert_equal [2, :second], [settings.worker_processes, settings.hook(:before_fork).call(nil)]
            assert_respond_to settings.logger, :info
            assert_predicate settings, :config_changed?
          end
        end
      end

      test "Ruby's flags act in the mold, before the file is read" do
        with_tmpdir do |folder|
          Dir.chdir(folder) do
            File.write("flagged.rb", "FLAGGED_IN_SETTINGS_TEST = 5")
            File.write("coppice.rb",
              "worker_processes 2\nbefore_fork(defined?(FLAGGED_IN_SETTINGS_TEST) ? proc { 5 } : nil)")
            flags = %W[-c coppice.rb -r #{folder}/flagged]
            wire = Loader.new(arguments: flags, environment: {}, directory: folder).load.to_wire
            refute defined?(FLAGGED_IN_SETTINGS_TEST), "not in the monitor"
            assert_equal 5, Settings.evaluate_in_mold(wire).hook(:before_fork).call
          end
        end
      end

      test "a mold of a server without a file reads none" do
        settings = Settings.evaluate_in_mold(Settings.new.to_wire)
        refute_predicate settings, :config_changed?
        assert_equal 1, settings.worker_processes
      end

      private

      def full
        values = { timeout: 3, logger: Object.new, timeout_signal: proc { :TERM }, refork_after: [5, false],
                   listen: [Listeners::Address.parse("[::1]:3000", backlog: 3)] }
        Settings.new(values: values, origins: { timeout: "config/coppice.rb:3" }, hooks: { before_fork: proc {} },
          ruby_flags: RubyFlags.new([[:require, "json"]]),
          config_file: "config/coppice.rb", config_text: "timeout 5", rackup: "config.ru", environment_name: "test")
      end

      def assert_plain(value)
        case value
        when Hash then value.each { |key, inner| assert_plain(key) && assert_plain(inner) }
        when Array then value.each { |inner| assert_plain(inner) }
        else assert_includes [Integer, Float, String, Symbol, NilClass, TrueClass, FalseClass], value.class
        end
      end
    end
  end
end
