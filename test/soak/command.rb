# frozen_string_literal: true

require_relative "table"

module Coppice
  # The command line of bin/soak.
  class SoakCommand
    USAGE = "usage: bin/soak list | all | NAME... [SECONDS]"

    Verdict = Struct.new(:name, :seconds, :passed, :last_line, :seed)

    def initialize(words)
      @seconds = words.pop if words.last&.match?(/\A\d+\z/)
      @words = words
    end

    # Returns the exit status.
    def run
      return list if @words == ["list"]

      soaks = @words == ["all"] ? Soak::TABLE.values : @words.map { |name| Soak::TABLE[name] }
      return usage if soaks.empty? || soaks.include?(nil) || (@seconds && soaks.none?(&:seconds))

      install(soaks.flat_map(&:packages).uniq)
      verdicts = soaks.map { |soak| play(soak) }
      print_table(verdicts) if verdicts.size > 1
      verdicts.all?(&:passed) ? 0 : 1
    end

    private

    def list
      width = Soak::TABLE.keys.map(&:size).max
      Soak::TABLE.each_value { |soak| puts format("%-#{width}s  %3d min  %s", soak.name, soak.minutes, soak.shows) }
      0
    end

    def usage
      warn USAGE, "NAME is one of: #{Soak::TABLE.keys.join(' ')}"
      2
    end

    # Tests say themselves what they skip where a package is missing.
    def install(packages)
      return if packages.empty? || !Process.uid.zero? || !system("command -v apt-get >/dev/null")

      environment = { "DEBIAN_FRONTEND" => "noninteractive" }
      system("apt-get update -qq", out: File::NULL)
      system(environment, "apt-get", "-o", "DPkg::Lock::Timeout=300", "install", "-y", "-qq", "--no-install-recommends",
             *packages, out: File::NULL) || warn("soak: not all of these are installed: #{packages.join(' ')}")
    end

    # Shows the output as it comes.
    def play(soak)
      puts "=== #{soak.name}: #{soak.shows}"
      began = now
      lines = []
      status = run_command(soak) { |line| puts(line) || lines << line.chomp }
      seed = lines.grep(/\bseed \d+/).first&.slice(/\bseed \d+/)
      verdict = Verdict.new(soak.name, (now - began).round, status.success?, lines.last, seed)
      puts "soak #{soak.name}: #{verdict.passed ? 'good' : 'BAD'} after #{verdict.seconds} s; #{verdict.last_line}"
      verdict
    end

    def run_command(soak, &block)
      system(environment_of(soak), "bin/setup", exception: true)
      IO.popen(environment_of(soak), soak.command(@seconds), err: %i[child out]) { |io| io.each_line(&block) }
      $?
    end

    # RUBIES has the folders of the Rubies' programs, the oldest first.
    def environment_of(soak)
      folders = ENV.fetch("RUBIES").split
      { "PATH" => "#{soak.ruby == :oldest ? folders.first : folders.last}:#{ENV.fetch('PATH')}" }
    end

    def print_table(verdicts)
      commit = `git rev-parse --short HEAD`.chomp
      puts "", "| soak | seconds | verdict | seed | commit |", "|---|---:|---|---|---|"
      verdicts.each do |verdict|
        text = "#{verdict.passed ? 'good' : '**BAD**'}: #{verdict.last_line}"
        puts "| `#{verdict.name}` | #{verdict.seconds} | #{text} | #{verdict.seed} | #{commit} |"
      end
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end

$stdout.sync = true
exit Coppice::SoakCommand.new(ARGV).run
