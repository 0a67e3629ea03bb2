# frozen_string_literal: true

require "coppice/errors"

module Coppice
  # Finds the malloc library to preload into a cold mold, and so into every process forked from it.
  module Allocator
    # The folders of the dynamic linker, in its order: Debian's, other distributions', and local ones.
    FOLDERS = ["/usr/lib/*-linux-*", "/usr/lib64", "/usr/lib", "/usr/local/lib"].freeze
    NAMES = { auto: "libjemalloc.so.2", jemalloc: "libjemalloc.so.2" }.freeze
    OWN = "/proc/self/exe"

    # The library to preload; nil for the C library's own malloc. Raises ConfigError when a library that the setting
    # names is not installed.
    #: (Symbol, ?folders: Array[String]) -> String?
    def self.library(allocator, folders: FOLDERS)
      name = NAMES[allocator] or return
      paths = folders.lazy.flat_map { |folder| Dir.glob(File.join(folder, name)) }
      found = paths.find { |path| machine(path) == machine(OWN) }
      return found if found || allocator == :auto

      raise ConfigError.new("allocator #{allocator.inspect}: #{name} is not installed",
        remedy: "Install it (Debian: libjemalloc2), or use :auto")
    end

    # Class, byte order and processor in the header of an ELF file. The dynamic linker of each program would skip a
    # library for another machine, such as a 32-bit one, with a warning.
    def self.machine(path)
      head = File.binread(path, 20).to_s
      [head[0, 6], head[18, 2]]
    rescue SystemCallError
      nil # it cannot be preloaded either
    end
    private_class_method :machine
  end
end
