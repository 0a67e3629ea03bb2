# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/fork_safety/native_threads"
require "coppice/presets"
require_relative "../presets/support/page"

module Coppice
  class PresetsTest < TestCase
    MOMENTS = [*ForkSafety::ForkCallbacks::MOMENTS.values, :loaded, :handshakes, :local_adapter, :unsafe,
               :before_promotion, :before_ready].uniq.freeze

    test "each preset is named like its file and its gem, and complete" do
      Presets.all.each do |preset|
        assert_includes Presets.names, preset.name
        assert_equal preset.name, Presets.name_for(preset.gem)
        %i[constant verdict advice why source].each { |field| refute_nil preset[field], "#{preset.name}: #{field}" }
        assert_empty preset.calls.keys - MOMENTS
        assert preset.does, "#{preset.name} says what Coppice does" if preset.acts?
      end
    end

    test "each preset that acts is tested, and each tested one has its test and fits the tested version" do
      versions = PresetsPage.tested_versions
      Presets.all.each do |preset|
        assert preset.tested, "#{preset.name} acts" if preset.acts?
        next unless preset.tested

        assert preset.covers?(versions.fetch(preset.gem)), "#{preset.name} #{versions[preset.gem]}"
        name = { ethon: :typhoeus }.fetch(preset.name, preset.name)
        assert_path_exists File.expand_path("../presets/#{name}_test.rb", __dir__)
      end
    end

    # idle_connections is about an option that several libraries serve.
    test "every test with a real library has its preset" do
      files = Dir[File.expand_path("../presets/*_test.rb", __dir__)]

      assert_empty files.map { |path| File.basename(path, "_test.rb").to_sym } - Presets.names - [:idle_connections]
    end

    test "an unknown name is refused" do
      assert_raises(KeyError) { Presets[:unheard_of] }
      assert_raises(KeyError) { Presets.define(:x, verdict: :unheard_of) }
    end

    test "a preset is for the gems that are activated" do
      assert_equal %i[sentry_ruby], activated("sentry-ruby" => nil, "unheard-of" => nil).keys
    end

    test "a preset is for a library that was loaded without RubyGems as well, in the version that it says" do
      mysql2 = module_with(:Client).tap { |library| library.const_set(:VERSION, "0.5.7") }

      assert_equal({ mysql2: "0.5.7" }, with_constant(:Mysql2, mysql2) { with_file("mysql2.rb") { activated } })
      assert_empty(with_file("pg.rb") { activated("unheard-of" => nil) })
    end

    test "the version that a library says may stand in a module around its constant" do
      aws = module_with(:Client).tap { |library| library.const_set(:CORE_GEM_VERSION, "3.2") }

      assert_nil(with_constant(:Aws, aws) { Presets[:aws_sdk_core].own_version })
      aws.const_set(:VERSION, "3")
      assert_equal "3", with_constant(:Aws, aws) { Presets[:aws_sdk_core].own_version }
    end

    test "a module around, which another gem has loaded, is no sign of the library" do
      aws = Module.new.tap { |library| library.const_set(:VERSION, "3.2") }

      assert_empty(with_constant(:Aws, aws) { with_file("aws-sdk-core.rb") { activated("unheard-of" => nil) } })
    end

    # The presets of a process with these gems, with their versions, but for those of the standard library.
    def activated(gems = {})
      presets = ::Gem.stub(:loaded_specs, gems) do
        Presets.activated.to_h { |preset| [preset.name, Presets.activated_version(preset)] }
      end
      presets.except(:net_http, :timeout)
    end

    def with_file(name)
      path = "/usr/lib/ruby/vendor_ruby/#{name}"
      $LOADED_FEATURES << path
      yield
    ensure
      $LOADED_FEATURES.delete(path)
    end

    test "the versions of pg that Rails is used with are covered" do
      assert_equal [false, true, true, true],
        %w[1.4.6 1.5.9 1.6.3 1.7.0].map { |version| Presets[:pg].covers?(version) }
    end

    test "libvips counts as used while it has threads" do
      used = [false, true].map { |found| ForkSafety::NativeThreads.stub(:any?, found) { Presets[:ruby_vips].used? } }

      assert_equal [false, true], used
    end

    # Rails goes on without libvips.
    test "the gem ruby-vips that found no libvips does not count as loaded" do
      loaded = [Module.new, module_with(:Image)].map { |vips| with_vips(vips) { Presets[:ruby_vips].loaded? } }

      assert_equal [false, true], loaded
    end

    test "nats-pure needs care with a subscription, but for that of the answers to requests" do
      asked = [[nil, nil, "_INBOX.x.*"], [true, nil, "orders"], [nil, nil, "orders"], [nil, :pull, "_INBOX.x"]]
      used = asked.map do |fields|
        nats = module_with(:Client).tap { |scope| scope.const_set(:Subscription, Struct.new(:closed, :jsi, :subject)) }
        subscription = nats::Subscription.new(*fields)
        with_constant(:NATS, nats) { subscription && Presets[:nats_pure].used? }
      end

      assert_equal [false, false, true, true], used
    end

    test "nio4r needs care with a selector that is open" do
      used = [true, false].map do |closed|
        nio = Module.new.tap { |scope| scope.const_set(:Selector, Struct.new(:closed?)) }
        selector = nio::Selector.new(closed)
        with_constant(:NIO, nio) { selector && Presets[:nio4r].used? }
      end

      assert_equal [false, true], used
    end

    test "sqlite3 needs care with a read-only database in WAL mode" do
      used = [[true, true, "wal"], [false, false, "wal"], [false, true, "delete"], [false, true, "wal"]].map do |fields|
        type = Struct.new(:closed?, :readonly?, :mode) { def get_first_value(_sql) = mode }
        sqlite = Module.new.tap { |scope| scope.const_set(:Database, type) }
        database = type.new(*fields)
        with_constant(:SQLite3, sqlite) { database && Presets[:sqlite3].used? }
      end

      assert_equal [false, false, false, true], used
    end

    test "rack-mini-profiler needs care with a store that has a thread to delete what has expired" do
      without_thread, with_thread = Class.new.new, Class.new { def cleanup_cache = nil }.new

      refute with_mini_profiler(without_thread) { Presets[:rack_mini_profiler].used? }
      assert with_mini_profiler(with_thread) { Presets[:rack_mini_profiler].used? }
    end

    test "the fork audit reports the thread of rack-mini-profiler, which nothing starts again" do
      assert_empty Presets[:rack_mini_profiler].restarts
    end

    def with_mini_profiler(store)
      rack = Object.const_set(:Rack, Module.new) unless Object.const_defined?(:Rack)
      ::Rack.const_set(:MiniProfiler, Struct.new(:config).new(Struct.new(:storage_instance).new(store)))
      yield
    ensure
      rack ? Object.__send__(:remove_const, :Rack) : ::Rack.__send__(:remove_const, :MiniProfiler)
    end

    test "the gem aws-sigv4 alone is no aws-sdk-core" do
      loaded = [module_with(:Sigv4), module_with(:Sigv4, :CORE_GEM_VERSION)].map do |aws|
        with_constant(:Aws, aws) { Presets[:aws_sdk_core].loaded? }
      end

      assert_equal [false, true], loaded
    end

    test "http is found in the versions before it had sessions" do
      with_constant(:HTTP, module_with(:Client)) { assert_predicate Presets[:http], :loaded? }
      assert_match(/client\.close/, Presets[:http].advice_for("5.3.1"))
    end

    def with_vips(vips, &block) = with_constant(:Vips, vips, &block)

    def with_constant(name, value)
      Object.const_set(name, value)
      yield
    ensure
      Object.__send__(:remove_const, name)
    end

    def module_with(*constants) = Module.new.tap { |scope| constants.each { |name| scope.const_set(name, Class.new) } }

    test "versions have a beginning and an end, or none" do
      preset = ForkSafety::Preset.new(versions: "1.7"..."2", calls: {}, older: "close it", advice: "nothing")

      assert_equal [true, true, false, false, false],
        %w[1.7.0 1.12 2.0 1.6.9].map { |version| preset.covers?(version) } + [preset.covers?(nil)]
      assert_equal %w[nothing close\ it nothing], %w[1.7 1.6 2].map { |version| preset.advice_for(version) }
      preset.always = "Others need nothing"
      assert_equal ["nothing. Others need nothing", "close it. Others need nothing"],
        %w[1.7 1.6].map { |version| preset.advice_for(version) }
      assert_equal "1.7+ <2", PresetsPage.versions(preset)
      assert ForkSafety::Preset.new(calls: {}).covers?(nil)
    end

    test "a pre-release of the first version or of the end is neither covered nor older" do
      preset = ForkSafety::Preset.new(versions: "7.1"..."8.2", calls: {}, older: "nothing", advice: "close it")

      assert_equal [false, false, true], %w[7.1.0.rc1 8.2.0.alpha 8.1.0.beta1].map { |version| preset.covers?(version) }
      assert_equal [false, false, true],
        %w[7.1.0.rc1 8.2.0.alpha 7.0.9].map { |version| preset.nothing_to_do?(version) }
    end

    test "nothing is to be done for older versions that need nothing, and not for those that nobody knows" do
      preset = Presets[:dogstatsd_ruby]

      assert_equal [true, false, false], ["4.8.3", "5.7.1", nil].map { |version| preset.nothing_to_do?(version) }
      refute Presets[:datadog].nothing_to_do?("3.0.0")
      refute Presets[:datadog].nothing_to_do?(nil)
    end

    test "most users have nothing to do for an older version where its advice begins so" do
      asked = ->(name, *versions) { versions.map { |version| Presets[name].nothing_to_do_for_most?(version) } }

      assert_equal [true, false, false], asked.(:datadog, "2.40", "2.47", "3")
      assert_equal [true, false, false], asked.(:dogstatsd_ruby, "4.8.3", nil) + asked.(:pg, "1.4")
    end

    test "older series that were mended as well are covered from that version on" do
      preset = Presets[:dalli]

      assert_equal [false, true, true, false, true, true],
        %w[3.2.11 3.2.12 4.3.10 5.1.2 5.1.3 5.3.2].map { |version| preset.covers?(version) }
      assert_match(/\Aupgrade: /, preset.advice_for("4.3.5"))
      assert_equal "3.2.12+ <3.3", PresetsPage.versions(preset)[/[^,]*/]
    end

    test "a constant counts once it is defined; an autoload is not triggered" do
      Object.autoload(:CoppicePresetsTestAutoload, "/nonexistent")
      loaded = ->(constant) { ForkSafety::Preset.new(constant: constant).loaded? }

      assert loaded.call("Coppice::ForkSafety")
      refute loaded.call("Coppice::String")
      refute loaded.call("CoppicePresetsTestAutoload::Inner")
      assert_same ForkSafety::Preset, ForkSafety::Preset.loaded_constant("Coppice::ForkSafety::Preset")
    ensure
      Object.send(:remove_const, :CoppicePresetsTestAutoload)
    end
  end
end
