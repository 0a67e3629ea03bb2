# frozen_string_literal: true

module Coppice
  # The program that starts each process of the server that is not forked.
  EXECUTABLE = File.expand_path("../../exe/coppice", __dir__)
end
