# frozen_string_literal: true

require "coppice/errors"

module Coppice
  # Finds the malloc library to preload into a cold mold, and so into every process forked from it, and its parameters.
  module Allocator
    PRELOAD = "LD_PRELOAD"
    # The variable that jemalloc reads its parameters from. A jemalloc that was built with a prefix (JE_, _RJEM_) reads
    # another one, but does not replace malloc either when it is preloaded.
    CONF = "MALLOC_CONF"
    # For processes in which one thread at a time runs Ruby, and whose memory should stay compact. One arena instead of
    # four for each processor: blocks that two arenas would spread over more pages lie together. Pages that are free for
    # a second go back to the kernel, instead of ten.
    TUNING = "narenas:1,dirty_decay_ms:1000,muzzy_decay_ms:0"
    # A link whose target is the administrator's parameters. Those in the environment would replace them.
    SYSTEM_CONF = "/etc/malloc.conf"
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

    # The variables to add to the environment. preloaded: the user's own LD_PRELOAD, which gets the parameters too if it
    # is jemalloc. Raises as `library` does.
    #: (Symbol, ?preloaded: String?, ?folders: Array[String], ?system_conf: String) -> Hash[String, String]
    def self.variables(allocator, preloaded: nil, folders: FOLDERS, system_conf: SYSTEM_CONF)
      return {} if allocator == :system

      library = library(allocator, folders: folders)
      jemalloc = (preloaded || library).to_s.include?("jemalloc")
      { PRELOAD => (library unless preloaded), CONF => (TUNING if jemalloc && !File.symlink?(system_conf)) }.compact
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
