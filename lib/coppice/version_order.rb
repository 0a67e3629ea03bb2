# frozen_string_literal: true

module Coppice
  # Versions compared number by number: as texts, "3.10" comes before "3.3". Where there is no RubyGems, and so no
  # Gem::Version, as in the monitor.
  module VersionOrder
    # Whether a version is this one or a later one. Letters do not count: "3.0.0.rc1" is as good as "3".
    #: (String, String) -> bool
    def self.at_least?(version, least) = (numbers(version) <=> numbers(least)) >= 0

    def self.numbers(version) = version.scan(/\d+/).map(&:to_i)
    private_class_method :numbers
  end
end
