# frozen_string_literal: true

require "coppice/errors"

module Coppice
  # The parameters of Ruby's garbage collector for an application. Ruby reads them from the environment when it starts,
  # so the process that spawns another one chooses them: the monitor, for each cold mold.
  module GCProfile
    # The file that `coppice profile` writes and `coppice serve` reads.
    FILE = "config/coppice.gc"
    # Origins of variables that are not in that file: measured by this server, or by one before.
    MEASURED = "measured"
    MEASURED_BEFORE = "measured before"
    NAME = /\ARUBY_GC_[A-Z0-9_]+\z/.freeze
    VALUE = /\A\d+(\.\d+|[kKmMgG])?\z/.freeze # Ruby silently ignores any other value
    RATIO = "RUBY_GC_HEAP_FREE_SLOTS_%s_RATIO"
    RUBY_RATIOS = { "MIN" => 0.20, "GOAL" => 0.40, "MAX" => 0.65 }.freeze # Ruby's own, see `ratios`
    # The goal for an application that was never measured: three quarters of Ruby's own. With less, an application that
    # keeps much of what its requests allocate takes twice the CPU time.
    SAFE_GOAL = 0.30
    SETTLED_REQUESTS = 100 # until a worker's allocations are in a steady state
    MEASURED_REQUESTS = SETTLED_REQUESTS + 64 # until it has measured them

    #: (String, String) -> bool
    def self.variable?(name, value) = name.match?(NAME) && value.match?(VALUE)

    # Free slots after a collection, as a share of the heap: the goal, the minimum below which the heap grows, and the
    # maximum above which pages are given back. After a minor collection that leaves less than the minimum, Ruby makes
    # a major one, which takes fifty times as long or more, before it lets the heap grow. The minimum is half of the
    # goal, as Ruby's own is: what is free after each collection must be enough for a request, and objects that become
    # old fill what is above the minimum.
    #: (Float) -> Hash[String, String]
    def self.ratios(goal)
      { "MIN" => goal / 2, "GOAL" => goal, "MAX" => [goal * 2, 0.65].min }
        .to_h { |name, ratio| [format(RATIO, name), ratio.round(3).to_s] }
    end

    # What is wrong with the ratios among these variables, with Ruby's own for those missing; nil if they fit each
    # other. Ruby silently ignores a minimum of 0, a maximum and a goal that are not above the minimum, and a goal above
    # the maximum. A goal of 0 leaves the growth of the heap to RUBY_GC_HEAP_GROWTH_FACTOR.
    #: (Hash[String, String]) -> String?
    def self.problem_of_ratios(variables)
      ratios = RUBY_RATIOS.to_h do |name, ratio|
        [name, Float(variables.fetch(format(RATIO, name), ratio), exception: false)]
      end
      minimum, goal, maximum = ratios.values
      fit = ratios.values.all? && minimum.positive? && minimum < maximum && maximum <= 1 &&
            (goal.zero? || (minimum < goal && goal <= maximum))
      return if fit

      "must have 0 < MIN < GOAL <= MAX <= 1, or GOAL 0, in #{format(RATIO, '…')}, or Ruby ignores a ratio, but with " \
        "Ruby's own values for those missing it has " \
        "#{ratios.map { |name, ratio| "#{name} #{ratio || 'no number'}" }.join(', ')}: set all three"
    end

    # Reads and writes the profile's file. It has lines of NAME=value in shell syntax, so that a shell can read it too.
    module ProfileFile
      COMMENT = /\A\s*(#.*)?\z/.freeze

      # Raises ConfigError for a malformed line, for ratios that Ruby would ignore, and for a file that cannot be read.
      #: (String) -> Hash[String, String]
      def self.read(path)
        variables = parse(path)
        problem = GCProfile.problem_of_ratios(variables)
        raise ConfigError.new(problem, file: path) if problem

        variables
      end

      def self.parse(path)
        lines(path).each.with_index(1).reject { |line, _| line.match?(COMMENT) }.to_h do |line, number|
          name, value = line.split("=", 2)
          next [name, value] if value && GCProfile.variable?(name, value)

          problem = "must be RUBY_GC_…=number"
          raise ConfigError.new("#{problem}, but is #{line.inspect}", reason: problem, file: path, line: number)
        end
      end

      # Reads the file in binary mode, because a comment may be in any encoding.
      def self.lines(path)
        File.readlines(path, chomp: true, mode: "rb")
      rescue SystemCallError => error
        raise ConfigError.new("cannot be read: #{error.message}", file: path)
      end

      private_class_method :parse, :lines

      #: (Hash[String, String], Array[String]) -> String
      def self.text(variables, comments)
        [*comments.map { |line| "# #{line}" }, *variables.map { |name, value| "#{name}=#{value}" }].join("\n") << "\n"
      end
    end
  end
end
