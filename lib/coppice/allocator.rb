# frozen_string_literal: true

require "coppice/errors"

module Coppice
  # Which malloc a cold mold, and so every process forked from it, is spawned with.
  module Allocator
    # Where the dynamic linker looks, in its order: Debian's folders, others', and hand-made ones.
    FOLDERS = ["/usr/lib/*-linux-*", "/usr/lib64", "/usr/lib", "/usr/local/lib"].freeze
    NAMES = { auto: "libjemalloc.so.2", jemalloc: "libjemalloc.so.2" }.freeze
    OWN = "/proc/self/exe"

    # The library to preload; nil for the C library's own malloc. Raises ConfigError when it was asked for by name and
    # is not installed.
    #: (Symbol, ?folders: Array[String]) -> String?
    def self.library(allocator, folders: FOLDERS)
      name = NAMES[allocator] or return
      found = folders.lazy.flat_map { |folder| Dir.glob(File.join(folder, name)) }.find { |path| machine(path) == machine(OWN) }
      return found if found || allocator == :auto

      raise ConfigError.new("allocator #{allocator.inspect}: there is no #{name} here",
        remedy: "Install it (Debian: libjemalloc2), or leave the choice to the server with :auto")
    end

    # Class, byte order and processor in the head of an ELF file: a library for another one, such as a 32-bit one beside
    # ours, would be passed over with a complaint from each program.
    def self.machine(path)
      head = File.binread(path, 20).to_s
      [head[0, 6], head[18, 2]]
    rescue SystemCallError
      nil # it cannot be preloaded either
    end
    private_class_method :machine
  end
end
