# frozen_string_literal: true

require "digest"
require "fileutils"
require "open3"
require "rbconfig"

module Coppice
  # A C program of the tests, without a Ruby heap but with sanitizers. It is built once for each state of its sources.
  class CProgram
    # The program could not be built, or did not succeed.
    class Failed < StandardError; end

    ROOT = File.expand_path("../..", __dir__)
    FLAGS = %w[-std=gnu11 -D_GNU_SOURCE -DCOPPICE_LINUX -g -O1 -Wall -Wextra -Wshadow -Werror
               -Iext/coppice -Iext/coppice/lobby -Itest/lobby].freeze
    SANITIZERS = %w[-fsanitize=address,undefined -fno-sanitize-recover=all].freeze
    private_constant :ROOT, :FLAGS, :SANITIZERS

    # name: of the program. sources: patterns of paths in the project; included: of files that they include, besides the
    # headers among them.
    #: (String, *String, ?flags: Array[String], ?included: Array[String]) -> void
    def initialize(name, *sources, flags: [], included: [])
      @name = name
      @patterns = sources
      @included = included
      @flags = flags
    end

    # Runs it, and answers what it printed. Raises Failed unless its exit status is 0.
    def run(*arguments, input: "") #: (*String, ?input: String) -> String
      output, errors, status = Open3.capture3(path, *arguments, stdin_data: input, binmode: true)
      return output if status.success?

      raise Failed, "#{@name} #{arguments.join(" ")}: #{status}\n#{errors}\nafter #{output[-500..] || output}"
    end

    # Its path; builds it if need be, and only once: test files run side by side.
    def path #: () -> String
      @path ||= File.join(ROOT, "tmp/c_programs", "#{@name}-#{digest}").tap do |path|
        FileUtils.mkdir_p(File.dirname(path))
        File.open("#{path}.lock", File::CREAT) do |lock|
          lock.flock(File::LOCK_EX)
          build(path) unless File.executable?(path)
        end
      end
    end

    private

    # Renamed into place: it may be ended in the middle.
    def build(path)
      unfinished = "#{path}.unfinished"
      compile(unfinished, SANITIZERS) || compile(unfinished, []) or raise Failed, @complaint
      File.rename(unfinished, path)
    end

    # A compiler without sanitizers still checks what the program asserts. It runs without what is preloaded into Ruby.
    def compile(path, options)
      command = [compiler, *FLAGS, *@flags, *options, "-o", path, *sources.grep(/\.c\z/), "-lpthread"]
      @complaint, status = Open3.capture2e({ "LD_PRELOAD" => nil }, *command, chdir: ROOT)
      status.success?
    end

    def compiler = ENV.fetch("CC") { RbConfig::CONFIG.fetch("CC") }.split.first

    def sources = @sources ||= files(@patterns)

    def files(patterns) = patterns.flat_map { |pattern| Dir.glob(pattern, base: ROOT).sort }

    def digest
      texts = [*sources, *files(@included)].map { |source| File.read(File.join(ROOT, source)) }
      Digest::SHA256.hexdigest([compiler, *FLAGS, *@flags, *SANITIZERS, *texts].join("\0"))[0, 16]
    end
  end
end
