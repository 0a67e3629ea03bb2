# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/config/settings"
require "coppice/fork_safety/preset_calls"
require "coppice/fork_safety/remedies"

module Coppice
  module ForkSafety
    class PresetCallsTest < TestCase
      Line = Struct.new(:level, :message, :fields)

      HOOKS = { before_fork: ->(_server) {} }.freeze

      # In the place of a log.
      class Lines < Array
        %i[debug info warn].each do |level|
          define_method(level) { |message, **fields| self << Line.new(level, message, fields) }
        end

        def exception(message, error, **fields) = self << Line.new(:error, message, { reason: error.message, **fields })
      end

      # Candidates that the test gives, in place of those for the activated gems.
      class Calls < PresetCalls
        attr_accessor :candidates

        def in_fork = tap { @cold_mold = Process.pid + 1 }
      end

      def setup
        @log = Lines.new
        @called = []
      end

      test "the calls of a moment are made, and logged at debug" do
        calls = calls(preset(before: -> { @called << :before }, after_in_worker: -> { @called << :worker }))
        calls.call(:before_fork, @log)
        calls.call(:before_worker_exit, @log)
        calls.call(:before_service_worker_ready, @log)

        assert_equal %i[before worker], @called
        made = @log.select { |line| line.message == "fork safety preset" }
        assert_equal [[:debug, :one, :before], [:debug, :one, :after_in_worker]],
          made.map { |line| [line.level, *line.fields.values_at(:preset, :moment)] }
      end

      test "a mold that booted the application is no copy" do
        preset = preset(loaded: -> { @called << :loaded }, after_in_mold: -> { @called << :mold })
        calls(preset).call(:after_mold_fork, @log)
        calls(preset).in_fork.call(:after_mold_fork, @log)

        assert_equal %i[loaded mold], @called
      end

      test "an error is logged with the name of the preset, and the others are called" do
        calls(preset(before: -> { raise "no such host" }),
          preset(name: :two, before: -> { @called << 2 })).call(:before_fork, @log)

        assert_equal [2], @called
        error = @log.find { |line| line.level == :error }
        assert_equal({ reason: "no such host", preset: :one, moment: :before }, error.fields)
      end

      test "nothing is called for a library that is not loaded, and it is noticed once it is" do
        calls = calls(preset(constant: "#{self.class}::Late", before: -> { @called << :late }))
        calls.call(:before_fork, @log)

        assert_empty @called
        self.class.const_set(:Late, 1)
        calls.call(:before_fork, @log)

        assert_equal [:late], @called
      ensure
        self.class.send(:remove_const, :Late) if self.class.const_defined?(:Late, false)
      end

      test "a library that was found is not looked up again" do
        preset = preset(gem: "minitest", versions: "5"..., before: -> { @called << 1 })
        calls = calls(preset)
        calls.call(:before_fork, @log)
        calls.candidates = [preset.dup.tap { |copy| copy.constant = "#{self.class}::Missing" }]
        calls.call(:before_fork, @log)

        assert_equal [1, 1], @called
      end

      test "nothing is called for a version that was not tested, which is logged once" do
        calls = calls(preset(gem: "minitest", versions: "1"..."2", advice: "close it", before: -> { @called << 1 }))
        2.times { calls.call(:before_fork, @log) }

        assert_empty @called
        assert_equal [:warn], @log.map(&:level)
        assert_match(/was not tested with 5.*; close it/, @log.first.fields[:advice])
      end

      test "an unsafe worker is not promoted with a version that was not tested either" do
        preset = preset(gem: "minitest", versions: "1"..."2", unsafe: -> { true }, before: -> { flunk })
        calls = calls(preset).tap { |one| one.call(:before_fork, @log) }

        assert_equal :forever, calls.refusal(@log)
        assert_match(/was not tested with 5.*: if what it looks at/, @log.first.fields[:advice])
      end

      test "an unsafe worker of an older version is promoted only if most users have nothing to do" do
        refused = ["close it", "nothing for one use"].map do |older|
          calls(preset(gem: "minitest", versions: "9"..., older: older, unsafe: -> { true })).refusal(@log)
        end

        assert_equal [:forever, nil], refused
      end

      test "it is logged once if what the preset looks at is gone from the version" do
        preset = preset(gem: "minitest", versions: "1"..."2", advice: "close it", unsafe: -> { String.closed? })
        calls = calls(preset)
        2.times { calls.call(:before_fork, @log) }

        assert_nil calls.refusal(@log)
        assert_equal [:warn], @log.map(&:level)
        assert_match(/nothing guards/, @log.first.message)
        assert_match(/\Aclose it\. .* except: \[:one\]/, @log.first.fields[:advice])
      end

      test "it is logged once, too, if that shows only when the worker has used the library" do
        used = false
        calls = calls(preset(gem: "minitest", versions: "1"..."2", unsafe: -> { used && String.closed? }))
        calls.call(:before_fork, Lines.new)
        used = true
        refusals = Array.new(2) { calls.refusal(@log) }

        assert_equal [nil, nil], refusals
        assert_equal [:warn], @log.map(&:level)
      end

      test "it is logged once if the constant of the library is gone, and a later one is noticed" do
        calls = calls(preset(constant: "#{self.class}::Late", versions: "1"..."2", unsafe: -> { true }))
        2.times { calls.call(:before_fork, @log) }
        assert_equal [:warn], @log.map(&:level)
        self.class.const_set(:Late, 1)

        assert_equal :forever, calls.refusal(@log)
      ensure
        self.class.send(:remove_const, :Late) if self.class.const_defined?(:Late, false)
      end

      test "what is to be done for another version is logged at debug where there is nothing, or a hook for it" do
        { "nothing for one use" => nil, "`before_fork`: close it" => Config::Settings.new(values: {}, hooks: HOOKS) }
          .each do |advice, settings|
            calls = Calls.new(true, remedies: settings && Remedies.new(settings))
            calls.candidates = [preset(gem: "minitest", versions: "9"..."10", older: advice, before: -> { flunk })]
            calls.call(:before_fork, @log)
          end

        assert_equal [:debug, :debug], @log.map(&:level)
      end

      test "false turns all presets off" do
        preset = preset(before: -> { @called << 1 }, unsafe: -> { true }, before_ready: -> { @called << 2 })
        off = Calls.new(false).tap { |calls| calls.candidates = [preset] }
        off.call(:before_fork, @log)
        off.before_ready(@log)

        refute off.refusal(@log)
        assert_empty @called + @log
      end

      test "candidates are the presets for the activated gems, without those that are turned off" do
        all = PresetCalls.new(true).send(:candidates).map(&:name)
        some = PresetCalls.new({ except: [:net_http] }).send(:candidates).map(&:name)

        assert_includes all, :net_http
        assert_equal all - [:net_http], some
      end

      test "a preset that finds a worker unsafe is logged" do
        assert_equal :forever, calls(preset(unsafe: -> { true }, why: "threads")).refusal(@log)
        refute calls(preset(unsafe: -> { false })).refusal(Lines.new)
        assert_equal({ preset: :one, why: "threads" }, @log.find { |line| line.fields[:why] }.fields)
      end

      test "a worker is unsafe for now where all that finds it unsafe passes" do
        passing, lasting = [true, false].map { |passing| preset(passing: passing, unsafe: -> { true }) }
        both = calls(passing).tap { |calls| calls.candidates = [passing, lasting] }

        assert_equal %i[for_now forever], [calls(passing), both].map { |calls| calls.refusal(@log) }
      end

      test "the presets that find a process unsafe are named, each with its reason" do
        unsafe = preset(unsafe: -> { true }, why: "threads")
        assert_equal({ unsafe => "threads" }, calls(unsafe, preset(name: :two, unsafe: -> { false })).unsafe(@log))
      end

      test "a preset that cannot tell finds a worker unsafe, and its error is logged" do
        assert calls(preset(unsafe: -> { raise NameError, "no @@initialized" }, why: "threads")).refusal(@log)
        why = "the preset cannot tell whether this process may be forked (NameError: no @@initialized)"
        assert_equal [{ reason: "no @@initialized", preset: :one, moment: :unsafe }, { preset: :one, why: why }],
          @log.map(&:fields).last(2)
      end

      test "a worker that is promoted and one that is about to be ready have their own moments" do
        calls = calls(preset(before_promotion: -> { @called << 1 }, before_ready: -> { @called << 2 }))
        calls.call(:before_fork, @log)
        calls.call(:after_worker_ready, @log)

        assert_empty @called
        calls.before_promotion(@log)
        calls.before_ready(@log)

        assert_equal [1, 2], @called
      end

      test "a database that cannot be reached is a warning, and the other presets are called" do
        calls(preset(before_ready: -> { raise "connection refused" }),
          preset(name: :two, before_ready: -> { @called << 2 })).before_ready(@log)

        assert_equal [2], @called
        warning = @log.reject { |line| line.level == :debug }

        assert_equal [[:warn, { preset: :one, error: "connection refused" }]],
          (warning.map { |line| [line.level, line.fields] }.reject { |_, fields| fields.key?(:advice) })
      end

      test "where an application has its WebSockets, if a service can have them" do
        path = ->(value) { calls(preset, preset(name: :two, handshakes: -> { value })).handshakes_path(@log) }

        assert_equal ["/cable", nil, nil], ["/cable/", nil, "/"].map(&path)
        assert_match(%r{must be a path below the root}, @log.last.fields[:reason])
      end

      test "a service with a path that no broadcast of workers can reach is a warning" do
        service = Config::ServiceDefinition.new(name: "cable", path: "/cable")
        warned = lambda do |adapter, *services|
          calls(preset(local_adapter: -> { adapter }))
            .warn_of_local_adapter(Config::Settings.new(services: services), @log)
          @log.select { |line| line.level == :warn }.map { |line| line.fields.values_at(:service, :adapter) }
        end

        assert_equal [], warned.call(nil, service) + warned.call("async")
        assert_equal [%w[cable async]], warned.call("async", service)
      end

      private

      def calls(*presets) = Calls.new(true).tap { |calls| calls.candidates = presets }

      def preset(name: :one, gem: "one", constant: "String", versions: nil, advice: "nothing", older: nil, why: "",
                 passing: nil, **calls)
        Preset.new(name: name, gem: gem, constant: constant, versions: versions, verdict: :acts, calls: calls,
                   advice: advice, older: older, why: why, passing: passing)
      end
    end
  end
end
