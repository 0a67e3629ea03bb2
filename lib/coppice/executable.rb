# frozen_string_literal: true

module Coppice
  # What each process of the family that is not forked is started with.
  EXECUTABLE = File.expand_path("../../exe/coppice", __dir__)
end
