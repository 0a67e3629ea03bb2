# frozen_string_literal: true

require "coppice/allocator"
require "coppice/gc_profile"

module Coppice
  # What the environment of a cold mold gets beside what the user's has: what Ruby reads only when it starts. Used in
  # the monitor, which spawns the mold, and by `coppice check`. A variable that the user has set stays as it is.
  class MoldEnvironment
    # Names what was added, for the mold to take it out again: it is not meant for the programs that an application
    # runs.
    ADDED = "COPPICE_ADDED_VARIABLES"
    PRELOAD = "LD_PRELOAD"
    YOURS = "environment (yours)"

    # Beginnings of names whose values must fit each other: where the user has set one, none of the others is ours.
    # Ruby cuts the limit on malloc to the largest limit, and passes over a ratio that is not between the other two.
    GROUPS = %w[RUBY_GC_HEAP_FREE_SLOTS_ RUBY_GC_MALLOC_LIMIT].freeze

    Variable = Struct.new(:name, :value, :origin, keyword_init: true)

    attr_reader :variables #: Array[Variable] -- of the collector and the allocator: the user's, then ours

    # In a cold mold: Ruby and the allocator have read them by now.
    #: (Hash[String, String]) -> void
    def self.take_out_of(environment)
      environment.delete(ADDED).to_s.split(",").each { |name| environment.delete(name) }
    end

    # fitted: variables that were measured since this server was started. Raises ConfigError for a profile that cannot
    # be read, and for an allocator that is not installed.
    #: (Config::Settings, ?environment: Hash[String, String], ?directory: String, ?fitted: Hash[String, String]?) -> void
    def initialize(settings, environment: ENV, directory: Dir.pwd, fitted: nil)
      @settings = settings
      @file = File.join(directory, GCProfile::FILE)
      @fitted = fitted
      @unfitted = settings.gc_profile == :fitted && fitted.nil? && !File.exist?(@file)
      own = environment.select { |name, _| name == PRELOAD || name.match?(GCProfile::NAME) }
      taken = own.keys.map { |name| group(name) }
      @variables = described(own, YOURS) + [*collector, *allocator].reject { |variable| taken.include?(group(variable.name)) }
    end

    # What to spawn the mold with.
    #: () -> Hash[String, String]
    def added
      added = variables.reject { |variable| variable.origin == YOURS }.to_h { |variable| [variable.name, variable.value] }
      added.empty? ? added : added.merge(ADDED => added.keys.join(","))
    end

    # Whether nobody has measured this application yet.
    #: () -> bool
    def unfitted? = @unfitted

    # In short, for a line of the log.
    #: () -> Hash[Symbol, String]
    def to_log
      preload, profile = variables.partition { |variable| variable.name == PRELOAD }
      { gc: profile.empty? ? "ruby" : profile.map(&:origin).uniq.join(","),
        allocator: preload.empty? ? "system" : File.basename(preload.first.value, ".*")[/\A(?:lib)?(\w*)/, 1] }
    end

    private

    def group(name) = GROUPS.find { |beginning| name.start_with?(beginning) } || name

    def collector
      case profile = @settings.gc_profile
      when :ruby then []
      when Hash then described(profile, @settings.origin(:gc_profile))
      else fitted
      end
    end

    def fitted
      return described(GCProfile::ProfileFile.read(@file), GCProfile::FILE) if File.exist?(@file)

      @fitted ? described(@fitted, "measured") : described(GCProfile.ratios(GCProfile::SAFE_GOAL), "default")
    end

    def allocator
      library = Allocator.library(@settings.allocator)
      library ? described({ PRELOAD => library }, @settings.origin(:allocator)) : []
    end

    def described(variables, origin)
      variables.map { |name, value| Variable.new(name: name, value: value, origin: origin) }
    end
  end
end
