# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require_relative "../support/c_program"
require_relative "clang"
require_relative "targets"

module Coppice
  # One of our parsers (targets.rb) in a program with libFuzzer. It begins with the target's seeds and with what earlier
  # runs learned: of those the telling ones are in test/fuzz/corpus, the rest only here, in tmp/fuzz. Without libFuzzer
  # it can replay those two, and a fixed number of mutations of them.
  class Fuzzer
    ROOT = File.expand_path("../..", __dir__)
    COUNT = /^stat::number_of_executed_units: (\d+)/
    HANG = 60 # seconds for one input, by the clock: on a busy machine the fuzzer may wait for the processor
    private_constant :COUNT, :HANG

    def initialize(target) #: (String) -> void
      @target = target
      @folder = File.join(ROOT, "tmp/fuzz", target)
      @kept = File.join(ROOT, "test/fuzz/corpus", target)
      @learned = File.join(@folder, "corpus")
    end

    # Answers whether nothing was found.
    def run(seconds) #: (Integer) -> bool
      build
      limits = ["-max_total_time=#{seconds}", "-max_len=8192", "-timeout=#{HANG}"]
      words = File.join(ROOT, "test/fuzz/http.dict")
      options = ["-print_final_stats=1", "-artifact_prefix=#{@folder}/", "-dict=#{words}"]
      found_nothing, output = watch(*limits, *options, @learned, @kept, write_seeds)
      count = output.join[COUNT, 1]
      result = found_nothing ? "#{count} inputs, nothing found" : "FOUND something, see above and #{@folder}"
      puts "fuzz #{@target}: #{result}"
      found_nothing
    end

    # Answers what it printed. Raises CProgram::Failed for what it found.
    def replay(runs) #: (Integer) -> String
      program = CProgram.new("replay_#{@target}", *facts[:sources], "test/fuzz/replay.c")
      Dir.mktmpdir do |folder|
        write_seeds(folder)
        program.run(runs.to_s, folder, *(@kept if File.directory?(@kept)))
      end
    end

    # Adds the inputs that reach more code than the seeds to the corpus in the repository, and no others.
    def keep #: () -> void
      build
      pool = write_seeds
      seeds = Dir.children(pool)
      merged = system(program, "-merge=1", pool, @kept, @learned, err: File::NULL)
      merged or abort "bin/fuzz: the corpus cannot be merged"
      FileUtils.rm(Dir.glob("#{@kept}/*"))
      FileUtils.cp((Dir.children(pool) - seeds).map { |name| File.join(pool, name) }, @kept)
      puts "fuzz #{@target}: kept #{Dir.children(@kept).size} inputs"
    end

    private

    def facts = FUZZ_TARGETS.fetch(@target)
    def program = File.join(@folder, "fuzz")

    def build
      FileUtils.mkdir_p([@learned, @kept])
      sources = facts[:sources].flat_map { |pattern| Dir.glob(pattern, base: ROOT).sort }
      Clang.compile(program, sources, folder: ROOT)
    end

    # Shows what it prints as it comes.
    def watch(*arguments)
      lines = IO.popen([program, *arguments], err: %i[child out]) do |output|
        output.each_line(chomp: false).map { |line| line.tap { $stdout.write(line) } }
      end
      [Process.last_status.success?, lines]
    end

    # Answers their folder.
    def write_seeds(folder = File.join(@folder, "seeds"))
      FileUtils.rm_rf(folder)
      FileUtils.mkdir_p(folder)
      facts[:seeds].call.each.with_index do |bytes, index|
        File.binwrite(File.join(folder, index.to_s), facts[:tuning] + bytes)
      end
      folder
    end
  end
end
