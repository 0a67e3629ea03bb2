# frozen_string_literal: true

require "coppice/allocator"
require "coppice/bundler_home"
require "coppice/gc_profile"
require "coppice/start_variables"

module Coppice
  # The variables that a cold mold's environment gets in addition to the user's. Used by the monitor, which spawns the
  # mold, and by `coppice check`. Never replaces a variable of the user.
  class MoldEnvironment
    ALLOCATOR = [Allocator::PRELOAD, Allocator::CONF].freeze
    YOURS = "environment (yours)"

    # Prefixes of variables whose values depend on each other: when the user has set one of a group, none is added. Ruby
    # cuts the limit on malloc to the maximum limit, and ignores a ratio that is not between the other two.
    GROUPS = %w[RUBY_GC_HEAP_FREE_SLOTS_ RUBY_GC_MALLOC_LIMIT].freeze

    Variable = Struct.new(:name, :value, :origin, keyword_init: true)

    # For the garbage collector and the allocator: the user's, then the added ones.
    attr_reader :variables #: Array[Variable]

    # fitted: variables computed from a measurement, with its origin. Raises ConfigError for a profile that
    # cannot be read, and for an allocator that is not installed.
    #: (Config::Settings, ?environment: Hash[String, String], ?directory: String,
    #   ?fitted: Hash[String, String]?, ?origin: String?) -> void
    def initialize(settings, environment: ENV, directory: Dir.pwd, fitted: nil, origin: GCProfile::MEASURED)
      @settings = settings
      @bundler_home = BundlerHome.variables(environment)
      @file = File.join(directory, GCProfile::FILE)
      @fitted = fitted && described(fitted, origin)
      @unmeasured = settings.gc_profile == :fitted && fitted.nil? && !File.exist?(@file)
      users = environment.select { |name, _| ALLOCATOR.include?(name) || name.match?(GCProfile::NAME) }
      users.delete(Allocator::PRELOAD) if users[Allocator::PRELOAD] == "" # preloads nothing, as if it were not set
      groups = users.keys.map { |name| group(name) }
      added = collector + allocator(users[Allocator::PRELOAD])
      @variables = described(users, YOURS) + added.reject { |variable| groups.include?(group(variable.name)) }
    end

    # The variables to add to the mold's environment. Bundler's stays there: it looks whenever the application asks it
    # to.
    #: () -> Hash[String, String]
    def added
      added = variables.reject { |variable| variable.origin == YOURS }
      StartVariables.listed(added.to_h { |variable| [variable.name, variable.value] }).merge(@bundler_home)
    end

    # Whether this application has not been measured yet.
    #: () -> bool
    def unmeasured? = @unmeasured

    # A summary for the log.
    #: () -> Hash[Symbol, String]
    def to_log
      allocator, profile = variables.partition { |variable| ALLOCATOR.include?(variable.name) }
      preload, conf = ALLOCATOR.map { |name| allocator.find { |variable| variable.name == name }&.value }
      library = preload ? File.basename(preload, ".*")[/\A(?:lib)?(\w*)/, 1] : "system"
      { gc: profile.empty? ? "ruby" : profile.map(&:origin).uniq.join(","), allocator: library,
        malloc_conf: conf }.compact
    end

    private

    def group(name) = GROUPS.find { |prefix| name.start_with?(prefix) } || name

    def collector
      case profile = @settings.gc_profile
      when :ruby then []
      when Hash then described(profile, @settings.origin(:gc_profile))
      else fitted
      end
    end

    def fitted
      return described(GCProfile::ProfileFile.read(@file), GCProfile::FILE) if File.exist?(@file)

      @fitted || described(GCProfile.ratios(GCProfile::SAFE_GOAL), "default")
    end

    def allocator(preloaded)
      described(Allocator.variables(@settings.allocator, preloaded: preloaded), @settings.origin(:allocator))
    end

    def described(variables, origin)
      variables.map { |name, value| Variable.new(name: name, value: value, origin: origin) }
    end
  end
end
