# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"

module Bench
  # Seconds of the monotonic clock.
  #: () -> Float
  def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  # A program that the benchmark started has failed. The message contains its output.
  class Failure < StandardError; end

  # A server that did not start. `reason` is the most informative line of its log, without the paths of this machine.
  class NotStarted < Failure
    INFORMATIVE = /error|invalid|unknown|undefined|must|not /i.freeze

    #: (String, log: String) -> void
    def initialize(what, log:)
      @lines = log.lines.map(&:strip).reject(&:empty?)
      super("#{what}. Its log:\n#{log}")
    end

    #: () -> String
    def reason = (@lines.grep(INFORMATIVE).first || @lines.first || "its log is empty").gsub(%r{/\S+/}, "")
  end

  # Prepares what a benchmark needs, on first use and inside the project: the peers' gems (vendor/bundle has a folder
  # for each Ruby), the load generator, Coppice's extension, the example application's database. It is idempotent.
  module Setup
    ROOT = File.expand_path("../..", __dir__).freeze
    FOLDER = File.join(ROOT, "tmp/bench").freeze
    EXAMPLE = File.join(ROOT, "examples/rails_shop").freeze
    LOAD_SOURCES = File.join(ROOT, "bench/load").freeze
    LOAD_BINARY = File.join(FOLDER, "load").freeze
    # Variables that a server inherits. What tunes Ruby or malloc is also named in the report.
    TUNING = /\A(RUBY_|MALLOC_|LD_PRELOAD\z)/.freeze
    PASSED = /\A(PATH|HOME|LANG|TMPDIR|LD_LIBRARY_PATH|SSL_CERT_FILE|https?_proxy|no_proxy)\z/i.freeze

    class << self
      #: (Array[Plan]) -> void
      def prepare(plans)
        FileUtils.mkdir_p(FOLDER)
        compile_load
        plans.select(&:gemfile).uniq(&:gemfile).each { |plan| install(plan) }
        example = plans.find { |plan| File.dirname(plan.app) == EXAMPLE }
        run("#{EXAMPLE}/bin/prepare", env: environment(example.gemfile)) if example
        checkouts = plans.select { |plan| plan.server.gem == "coppice" }.map(&:checkout).uniq
        checkouts.each { |checkout| run("rake", "--silent", "compile", env: environment, folder: checkout) }
      end

      # The path of a program that is not a gem; nil if it is not installed. Debian installs servers in /usr/sbin, which
      # is not in the PATH of users.
      #: (String) -> String?
      def program(name)
        folders = environment["PATH"].split(":") + ["/usr/sbin"]
        folders.map { |folder| File.join(folder, name) }.find { |path| File.file?(path) && File.executable?(path) }
      end

      # The environment of every program that the benchmark starts: without the variables of a bundle that the benchmark
      # itself may run in.
      #: (?String) -> Hash[String, String]
      def environment(gemfile = nil)
        clean = ENV.to_h.select { |name, _| name.match?(PASSED) || name.match?(TUNING) }
        clean["PATH"] = [RbConfig::CONFIG["bindir"], clean["PATH"]].join(":")
        return clean unless gemfile

        clean.merge("BUNDLE_GEMFILE" => gemfile, "BUNDLE_PATH" => File.join(ROOT, "vendor/bundle"),
          "BUNDLE_USER_HOME" => File.join(ROOT, "tmp/bundler"), "BUNDLE_SILENCE_ROOT_WARNING" => "1",
          "BUNDLE_FROZEN" => "true", "RACK_ENV" => "production", "RAILS_ENV" => "production")
      end

      # Runs a program to its end. Raises Failure, with its output, when that is no success.
      #: (*String, env: Hash[String, String], ?folder: String) -> void
      def run(*command, env:, folder: ROOT)
        output, status = Open3.capture2e(env, *command, chdir: folder, unsetenv_others: true)
        raise Failure, "#{command.join(" ")} failed:\n#{output}" unless status.success?
      end

      private

      def compile_load
        newest = Dir["#{LOAD_SOURCES}/*"].map { |path| File.mtime(path) }.max
        return if File.exist?(LOAD_BINARY) && File.mtime(LOAD_BINARY) > newest

        run("cc", "-O2", "-Wall", "-Wextra", *Dir["#{LOAD_SOURCES}/*.c"], "-lm", "-o", LOAD_BINARY, env: environment)
      end

      def install(plan)
        env = plan.process_environment
        _, status = Open3.capture2e(env, "bundle", "check", unsetenv_others: true)
        return if status.success?

        warn "bench: installing the gems of #{plan.gemfile.delete_prefix("#{ROOT}/")}"
        run("bundle", "install", "--quiet", env: env)
      end
    end
  end
end
