# frozen_string_literal: true

require "digest"
require "etc"
require "fileutils"
require "open3"
require "rbconfig"

module Coppice
  # A C program of the tests, without a Ruby heap but with sanitizers. It is built once for each state of its sources
  # and of all headers. Programs share the objects of the sources that they have in common.
  class CProgram
    # The program could not be built, or did not succeed.
    class Failed < StandardError; end

    ROOT = File.expand_path("../..", __dir__)
    FOLDER = File.join(ROOT, "tmp/c_programs")
    FLAGS = %w[-std=gnu11 -D_GNU_SOURCE -DCOPPICE_LINUX -g -O1 -Wall -Wextra -Wshadow -Werror
               -Iext/coppice -Iext/coppice/lobby -Itest/lobby].freeze
    SANITIZERS = %w[-fsanitize=address,undefined -fno-sanitize-recover=all].freeze
    # By one source or another.
    INCLUDED = %w[ext/coppice/**/*.h test/{fuzz,lobby}/*.h ext/coppice/lobby/loop/{clock,loop}.c].freeze
    private_constant :ROOT, :FOLDER, :FLAGS, :SANITIZERS, :INCLUDED

    # What to spawn a program with that is to search for no leaks when it ends; other options, such as where reports go,
    # stay.
    #: (?untyped) -> Hash[String, String]
    def self.without_leak_search(environment = ENV)
      { "ASAN_OPTIONS" => [environment["ASAN_OPTIONS"], "detect_leaks=0"].compact.join(":") }.freeze
    end

    # name: of the program. sources: patterns of paths in the project. macros: for those sources that name them. flags:
    # for the linker. sanitizers: none for a program that only plays what another one is tested with.
    #: (String, *String, ?macros: Hash[Symbol, untyped], ?flags: Array[String], ?sanitizers: Array[String]) -> void
    def initialize(name, *sources, macros: {}, flags: [], sanitizers: SANITIZERS)
      @name = name
      @patterns = sources
      @macros = macros
      @flags = flags
      @sanitizers = sanitizers
    end

    # Runs it, and answers what it printed. Raises Failed unless its exit status is 0.
    def run(*arguments, input: "") #: (*String, ?input: String) -> String
      output, errors, status = Open3.capture3(path, *arguments, stdin_data: input, binmode: true)
      return output if status.success?

      raise Failed, "#{@name} #{arguments.join(" ")}: #{status}\n#{errors}\nafter #{output[-500..] || output}"
    end

    # Its path; builds it if need be.
    def path #: () -> String
      @path ||= make(@name, *@sanitizers, *@flags, *sources.flat_map { |source| facts(source) }) { |path| build(path) }
    end

    private

    # The path of a file with this name, made by the block from these facts. Only once, as test files run side by side,
    # and renamed into place, as one may be ended in the middle.
    def make(name, *facts)
      path = File.join(FOLDER, "#{name}-#{digest(facts)}")
      FileUtils.mkdir_p(FOLDER)
      File.open("#{path}.lock", File::CREAT) do |lock|
        lock.flock(File::LOCK_EX)
        unless File.exist?(path)
          yield "#{path}.unfinished"
          File.rename("#{path}.unfinished", path)
        end
      end
      path
    end

    # Where a compiler has no sanitizers to link with, the program still checks what it asserts.
    def build(path)
      complaint = link(path, @sanitizers) && link(path, []) and raise Failed, complaint
    end

    def link(path, options)
      compile(*options, *@flags, "-o", path, *objects(options), "-lpthread")
    end

    # Compiled on all processors. Not in a process with sanitizers: Ruby 3.1 reuses native threads, and on the stack of
    # one that was ended within an extension the sanitizer takes what Ruby does there later for an error.
    def objects(options)
      return sources.map { |source| object(source, options) } if ENV["LD_PRELOAD"].to_s.include?("libasan")

      threads = sources.each_slice((sources.size / Etc.nprocessors.to_f).ceil).map do |some|
        Thread.new do
          Thread.current.report_on_exception = false
          some.map { |source| object(source, options) }
        end
      end
      threads.flat_map(&:value)
    end

    def object(source, options)
      make("#{File.basename(source)}.o", *options, *facts(source)) do |path|
        complaint = compile(*FLAGS, *macros(source), *options, "-c", "-o", path, source) and raise Failed, complaint
      end
    end

    # Answers what the compiler complains of when it fails. It runs without what is preloaded into Ruby.
    def compile(*arguments)
      output, status = Open3.capture2e({ "LD_PRELOAD" => nil }, compiler, *arguments, chdir: ROOT)
      output unless status.success?
    end

    def compiler = ENV.fetch("CC") { RbConfig::CONFIG.fetch("CC") }.split.first

    def sources
      @sources ||= files(@patterns).tap { |found|
        raise Failed, "#{@name} has no sources: #{@patterns}" if found.empty?
      }
    end

    # All that decides what its object is, besides the sanitizers.
    def facts(source)
      [compiler, *FLAGS, *macros(source), source, text(source), included]
    end

    # Only these, so that all other objects can be shared.
    def macros(source)
      @macros.filter_map { |name, value| "-D#{name}=#{value}" if text(source).include?(name.to_s) }
    end

    def included = @included ||= digest(files(INCLUDED).map { |path| text(path) })

    def digest(texts) = Digest::SHA256.hexdigest(texts.join("\0"))[0, 16]

    def text(path) = File.read(File.join(ROOT, path))

    def files(patterns) = patterns.flat_map { |pattern| Dir.glob(pattern, base: ROOT).sort }
  end
end
