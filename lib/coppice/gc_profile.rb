# frozen_string_literal: true

require "coppice/errors"

module Coppice
  # The parameters of Ruby's garbage collector for an application. Ruby reads them from the environment when it starts,
  # so the process that spawns another one chooses them: the monitor, for each cold mold.
  module GCProfile
    # The file that `coppice profile` writes and `coppice serve` reads.
    FILE = "config/coppice.gc"
    NAME = /\ARUBY_GC_[A-Z0-9_]+\z/.freeze
    VALUE = /\A\d+(\.\d+|[kKmMgG])?\z/.freeze # Ruby silently ignores any other value
    # For an application that was never measured: half of Ruby's own goal. Seldom a loss, never a large one.
    SAFE_GOAL = 0.20

    #: (String, String) -> bool
    def self.variable?(name, value) = name.match?(NAME) && value.match?(VALUE)

    # Free slots after a collection, as a share of the heap: the goal, the minimum below which the heap grows, and the
    # maximum above which pages are given back. The minimum is further from the goal than with Ruby's own 0.20, 0.40 and
    # 0.65: a minor collection that frees fewer slots triggers a major one, which costs ten times as much.
    #: (Float) -> Hash[String, String]
    def self.ratios(goal)
      { "MIN" => goal / 4, "GOAL" => goal, "MAX" => [goal * 2, 0.65].min }
        .to_h { |name, ratio| ["RUBY_GC_HEAP_FREE_SLOTS_#{name}_RATIO", ratio.round(3).to_s] }
    end

    # Reads and writes the profile's file: lines of NAME=value in shell syntax, so that other programs can read it too.
    module ProfileFile
      COMMENT = /\A\s*(#.*)?\z/.freeze

      # Raises ConfigError for a malformed line, and for a file that cannot be read.
      #: (String) -> Hash[String, String]
      def self.read(path)
        lines(path).each.with_index(1).reject { |line, _| line.match?(COMMENT) }.to_h do |line, number|
          name, value = line.split("=", 2)
          next [name, value] if value && GCProfile.variable?(name, value)

          raise ConfigError.new("must be RUBY_GC_…=number, but is #{line.inspect}", file: path, line: number)
        end
      end

      # In binary: a comment may be in any encoding.
      def self.lines(path)
        File.readlines(path, chomp: true, mode: "rb")
      rescue SystemCallError => error
        raise ConfigError.new("cannot be read: #{error.message}", file: path)
      end
      private_class_method :lines

      #: (Hash[String, String], Array[String]) -> String
      def self.text(variables, comments)
        [*comments.map { |line| "# #{line}" }, *variables.map { |name, value| "#{name}=#{value}" }].join("\n") << "\n"
      end
    end
  end
end
