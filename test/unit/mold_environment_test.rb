# frozen_string_literal: true

require "test_helper"
require "coppice/config/loader"
require "coppice/config/settings"
require "coppice/mold_environment"

module Coppice
  class MoldEnvironmentTest < TestCase
    FITTED = { "RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO" => "0.08", "RUBY_GC_MALLOC_LIMIT" => "9000000" }.freeze
    GOAL = "RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO"

    test "an application without a measurement gets moderate defaults" do
      made = environment

      assert_equal GCProfile.ratios(GCProfile::SAFE_GOAL), made.added.slice(*GCProfile.ratios(0).keys)
      assert_equal({ gc: "default", allocator: "system" }, made.to_log)
      assert_predicate made, :unmeasured?
    end

    test "a committed profile is used" do
      made = environment(file: "#{GOAL}=0.32\n")

      assert_equal "0.32", made.added.fetch(GOAL)
      assert_equal "config/coppice.gc", made.to_log.fetch(:gc)
      refute_predicate made, :unmeasured?
    end

    test "a measurement of this server is used" do
      made = environment(fitted: FITTED)

      assert_equal "0.08", made.added.fetch(GOAL)
      assert_equal "measured", made.to_log.fetch(:gc)
      refute_predicate made, :unmeasured?
    end

    test "a file that was written since comes before it: real requests were measured for that" do
      assert_equal "config/coppice.gc", environment(file: "#{GOAL}=0.32\n", fitted: FITTED).to_log.fetch(:gc)
    end

    test "a profile that is set by hand comes before all" do
      made = environment(gc_profile: { GOAL => "0.3" }, file: "#{GOAL}=0.32\n", fitted: FITTED)

      assert_equal({ GOAL => "0.3", StartVariables::LIST => GOAL }, made.added)
      refute_predicate made, :unmeasured?
    end

    test ":ruby adds no variables" do
      made = environment(gc_profile: :ruby, file: "not read\n", fitted: FITTED)

      assert_empty made.added
      assert_equal({ gc: "ruby", allocator: "system" }, made.to_log)
      refute_predicate made, :unmeasured?
    end

    test "a variable that the user has set is never replaced, and is listed as the user's" do
      made = environment(fitted: FITTED,
        environment: { "RUBY_GC_HEAP_GROWTH_FACTOR" => "1.1", GOAL => "0.5", "PATH" => "/bin" })

      assert_equal({ "RUBY_GC_MALLOC_LIMIT" => "9000000", StartVariables::LIST => "RUBY_GC_MALLOC_LIMIT" },
        made.added)
      assert_equal [["RUBY_GC_HEAP_GROWTH_FACTOR", "1.1", MoldEnvironment::YOURS],
                    [GOAL, "0.5", MoldEnvironment::YOURS],
                    ["RUBY_GC_MALLOC_LIMIT", "9000000", "measured"]], made.variables.map(&:to_a)
    end

    test "a variable that would cut the user's value is not added" do
      fitted = { "RUBY_GC_MALLOC_LIMIT" => "9000000", "RUBY_GC_MALLOC_LIMIT_MAX" => "12000000" }

      assert_empty environment(fitted: fitted, environment: { "RUBY_GC_MALLOC_LIMIT" => "64000000" }).added
      assert_empty environment(environment: { "RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO" => "0.3" }).added
    end

    test "nothing is preloaded beside the user's library" do
      made = environment(gc_profile: :ruby, allocator: :auto, environment: { "LD_PRELOAD" => "/opt/libother.so" })

      assert_empty made.added
      assert_equal "other", made.to_log.fetch(:allocator)
    end

    test "an empty LD_PRELOAD is as good as none" do
      unset, empty = [{}, { "LD_PRELOAD" => "" }].map { |own| environment(allocator: :auto, environment: own) }

      assert_equal unset.added, empty.added
      assert_equal unset.variables, empty.variables
    end

    test "the user's own jemalloc gets the parameters, and another library gets none" do
      made = environment(gc_profile: :ruby, allocator: :auto, environment: { "LD_PRELOAD" => "/opt/libjemalloc.so" })

      assert_equal({ "MALLOC_CONF" => Allocator::TUNING, StartVariables::LIST => "MALLOC_CONF" }, made.added)
      assert_equal({ gc: "ruby", allocator: "jemalloc", malloc_conf: Allocator::TUNING }, made.to_log)
    end

    test "the user's own parameters of jemalloc stay, and are listed as the user's" do
      yours = { "LD_PRELOAD" => "/opt/libjemalloc.so", "MALLOC_CONF" => "narenas:2" }
      made = environment(gc_profile: :ruby, allocator: :auto, environment: yours)

      assert_empty made.added
      assert_equal yours, made.variables.to_h { |variable| [variable.name, variable.value] }
      assert_equal "narenas:2", made.to_log.fetch(:malloc_conf)
    end

    test "the mold removes the added variables, and no others" do
      environment = { "LANG" => "C", "RUBY_GC_HEAP_GROWTH_FACTOR" => "1.1" }
      inside = environment.merge(self.environment(environment: environment).added)
      refute_equal environment, inside
      StartVariables.remove_from(inside)

      assert_equal environment, inside
    end

    test "Bundler is told the home of a user who has none, and looks there later as well" do
      environment = { "HOME" => "/none" }
      inside = environment.merge(self.environment(environment: environment).added)
      StartVariables.remove_from(inside)

      assert_equal environment.merge("BUNDLE_USER_HOME" => "/none/.bundle"), inside
    end

    test "without added variables nothing is removed" do
      StartVariables.remove_from(inside = { "LD_PRELOAD" => "/opt/libother.so" })

      assert_equal({ "LD_PRELOAD" => "/opt/libother.so" }, inside)
    end

    test "an invalid profile is an error" do
      in_folder("nonsense\n") do |folder|
        error = assert_raises(ConfigError) { environment_in(folder) }

        assert_match(%r{config/coppice\.gc:1: }, error.message)
      end
    end

    private

    def environment(file: nil, **rest)
      in_folder(file) { |folder| environment_in(folder, **rest) }
    end

    def environment_in(folder, environment: {}, fitted: nil, allocator: :system, gc_profile: :fitted)
      settings = Config::Settings.new(values: { gc_profile: gc_profile, allocator: allocator })
      MoldEnvironment.new(settings, environment: { "HOME" => folder, **environment }, directory: folder, fitted: fitted)
    end

    def in_folder(file)
      with_tmpdir do |folder|
        FileUtils.mkdir("#{folder}/config")
        File.write("#{folder}/#{GCProfile::FILE}", file) if file
        yield folder
      end
    end
  end
end
