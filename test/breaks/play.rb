# frozen_string_literal: true

require "fileutils"
require "open3"
require "tmpdir"
require_relative "table"

module Coppice
  # Plays the breaks of the table in a copy of what is committed: each must make its part of .ci/run fail, which passes
  # without it. The argument `ci` plays all of .ci/run for two of them instead.
  class BreaksPlay
    ROOT = File.expand_path("../..", __dir__)
    IN_CI = ["a hook is not called", "a page of the docs is stale"].freeze

    def initialize(whole:)
      @breaks = whole ? Break::TABLE.select { |each| IN_CI.include?(each.name) } : Break::TABLE
      @whole = whole
    end

    # Returns the exit status.
    def run
      Dir.mktmpdir("coppice-breaks-") do |folder|
        @copy = File.join(folder, "project")
        make_copy(folder)
        sound = @whole || passes_unbroken?
        missed = @breaks.reject { |each| caught?(each) }
        puts "#{@breaks.size - missed.size} of #{@breaks.size} breaks were caught" \
             "#{'; the copy fails without a break' unless sound}"
        sound && missed.empty? ? 0 : 1
      end
    end

    private

    # With the gems that are here already, and what lies beside the project.
    def make_copy(folder)
      git("clone", "-q", "--no-hardlinks", ROOT, @copy)
      beside = File.expand_path("../shared", ROOT)
      FileUtils.ln_s(beside, File.join(folder, "shared")) if File.directory?(beside)
      FileUtils.ln_s(File.join(ROOT, "vendor"), File.join(@copy, "vendor")) unless @whole
    end

    def passes_unbroken?
      failing = @breaks.map(&:words).uniq.reject { |words| succeeds?(words) }
      failing.each { |words| puts "fails without a break: #{words.join(' ')}" }
      failing.empty?
    end

    def caught?(each)
      each.apply(@copy)
      caught = !succeeds?(@whole ? %w[.ci/run] : each.words)
      puts "#{caught ? 'caught' : 'MISSED'}  #{each.name}"
      caught
    ensure
      git("-C", @copy, "checkout", "-q", ".")
    end

    def succeeds?(words)
      environment = { "COPPICE_STRICT" => "1" }
      # None of these tests serves the example, and a broken one need not wait for long.
      environment.update("COPPICE_SETUP" => "core", "COPPICE_PATIENCE" => "0.2") unless @whole
      Open3.capture2e(environment, *words, chdir: @copy, stdin_data: "").last.success?
    end

    def git(*words) = system("git", *words, exception: true)
  end
end

$stdout.sync = true
exit Coppice::BreaksPlay.new(whole: ARGV.first == "ci").run
