# frozen_string_literal: true

module Coppice
  # Versions compared as Gem::Version compares them: as texts, "3.10" comes before "3.3". Works without RubyGems, which
  # the monitor does not load.
  module VersionOrder
    ZERO = [1, 0].freeze
    TRAILING_ZEROS = /\A(?<rest>\d+(?:\.\d+)*?)(?:\.0+)+(?=\.?[a-z]|\z)/i.freeze # of the release
    private_constant :ZERO, :TRAILING_ZEROS

    class << self
      # Whether a version is this one or a later one. Letters are those of a pre-release: "3.0.0.rc1" is before "3".
      #: (String, String) -> bool
      def at_least?(version, least)
        both = [version, least].map { |text| segments(text) }
        length = both.map(&:size).max
        one, other = both.map { |found| Array.new(length) { |index| found[index] || ZERO } }
        (one <=> other) >= 0
      end

      # The release that a pre-release precedes, such as "8.2.0" for "8.2.0.alpha"; a release itself.
      #: (String) -> String
      def release(version) = version[/\A\d*(?:\.\d+)*/]

      private

      # Each with its rank: a word comes before a number.
      def segments(version)
        parts = version.gsub("-", ".pre.").sub(TRAILING_ZEROS, "\\k<rest>").scan(/\d+|[a-z]+/i)
        parts.map { |part| part.match?(/\d/) ? [1, part.to_i] : [0, part] }
      end
    end
  end
end
