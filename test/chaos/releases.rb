# frozen_string_literal: true

require "fileutils"

module Chaos
  # The releases that a server rolls to: directories with nothing in them. All have the configuration and the
  # application of the server's folder, which look at the directory's name.
  module Releases
    GOOD = %w[second third].freeze
    RAISES = "raises" # while it is booted
    HANGS = "hangs"   # then as well
    FAILS = "fails"   # answers each request with status 500
    BROKEN = [RAISES, HANGS, FAILS].freeze # no server may run one of these for longer than its trial
    NAMES = [*GOOD, *BROKEN].freeze

    #: (String) -> void
    def self.make_in(folder) = FileUtils.mkdir_p(NAMES.map { |name| File.join(folder, name) })
  end
end
