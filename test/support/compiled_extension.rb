# frozen_string_literal: true

require "digest"
require "fileutils"
require "open3"
require "rbconfig"

module Coppice
  # Compiles C files of the tests into an extension for this Ruby, or a library to preload into one, once for each state
  # of the sources.
  module CompiledExtension
    ROOT = File.expand_path("../..", __dir__)
    OPTIONS = %w[-shared -fPIC -pthread -g -O1 -std=gnu11 -Wall -Wextra -Wno-unused-parameter -fvisibility=hidden
                 -D_GNU_SOURCE -Iext/coppice].freeze
    private_constant :ROOT, :OPTIONS

    # Answers the file's path. Renamed into place, since test files run side by side.
    def self.path(name, *patterns) #: (String, *String) -> String
      sources = Dir.glob(patterns, base: ROOT).sort
      headers = Dir.glob("ext/coppice/**/*.h", base: ROOT)
      texts = (sources + headers).map { |file| File.read(File.join(ROOT, file)) }
      digest = Digest::SHA256.hexdigest([RUBY_DESCRIPTION, *OPTIONS, *texts].join("\0"))[0, 16]
      path = File.join(ROOT, "tmp/test_extensions", digest, "#{name}.so")
      build(path, sources) unless File.exist?(path)
      path
    end

    def self.build(path, sources)
      FileUtils.mkdir_p(File.dirname(path))
      unfinished = "#{path}.#{Process.pid}"
      includes = RbConfig::CONFIG.values_at("rubyhdrdir", "rubyarchhdrdir").map { |folder| "-isystem#{folder}" }
      command = [RbConfig::CONFIG.fetch("CC").split.first, *OPTIONS, *includes, "-o", unfinished, *sources]
      # The compiler runs without the sanitizers that are preloaded into Ruby: it leaks.
      output, status = Open3.capture2e({ "LD_PRELOAD" => nil }, *command, chdir: ROOT)
      raise output unless status.success?

      File.rename(unfinished, path)
    end
    private_class_method :build
  end
end
