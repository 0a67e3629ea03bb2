# frozen_string_literal: true

module Coppice
  # How a test file runs. A comment in its first lines names the lane, and the reason:
  #
  #   # lane: soak -- waits for real deadlines
  #
  #   side_by_side   beside others, in every run; what a file without such a comment is
  #   quiet          alone, behind the others, in every run: the clock decides in it
  #   soak           only when the file or its lane is named: it needs much time, luck, or programs that few have
  #
  # With the lane soak also the files run that have a single test of it (TestCase.soak_test).
  module Lane
    NAMES = %i[side_by_side quiet soak].freeze
    LINES = 12 # of a file that are looked at

    # Raises ArgumentError for a lane that does not exist, and for one without a reason.
    def self.of(path) #: (String) -> Symbol
      comment = File.foreach(path).first(LINES).grep(/\A# lane:/).first or return :side_by_side
      name = comment[/\A# lane: (\w+) -- \S/, 1]&.to_sym
      return name if NAMES.include?(name)

      raise ArgumentError, "#{path}: say `# lane: quiet|soak -- why`, not #{comment.inspect}"
    end

    # Whether the lane soak has something of this file.
    def self.soak?(path) = of(path) == :soak || File.foreach(path).any?(/\A +soak_test /) #: (String) -> bool
  end
end
