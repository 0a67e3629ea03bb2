# frozen_string_literal: true

require_relative "compiled_extension"

# Calls functions of the C library: c_library.c.
module CLibrary
  # What a program of a test requires.
  PATH = Coppice::CompiledExtension.path("c_library", "test/support/c_library.c")
end

require CLibrary::PATH
