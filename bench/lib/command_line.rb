# frozen_string_literal: true

require "optparse"
require_relative "options"
require_relative "http_app"
require_relative "lazy_app"
require_relative "memory_variants"
require_relative "prepared_app"
require_relative "servers"
require_relative "setup"
require_relative "slot_servers"

module Bench
  # Parses the command line of `bin/bench`.
  class CommandLine
    POSITIVE = /\A[1-9]\d{0,6}\z/.freeze
    WORKERS = /\A[1-9]\d*(\.\.[1-9]\d*)?\z/.freeze # of Coppice: "16", "2..16"

    # Not "0": Ruby 3.1 treats any value as yes.
    WITHOUT_YJIT = { "RUBY_YJIT_ENABLE" => nil }.freeze

    attr_reader :chosen #: Hash[Symbol, untyped] -- the members of Options that were named

    #: (banner: String) -> void
    def initialize(banner:)
      @chosen = { save: true, plan: { environment: WITHOUT_YJIT.dup, checkout: Setup::ROOT } }
      @parser = OptionParser.new do |parser|
        parser.banner = banner
        parser.accept(Integer, POSITIVE, &:to_i)
        parser.accept(File) { |path| File.expand_path(path) }
        what_to_run(parser)
        how_to_run_it(parser)
        how_long(parser)
        equal_slots(parser)
        own_application(parser)
      end
    end

    # Returns the arguments that are not options. Raises OptionParser::ParseError.
    #: (Array[String]) -> Array[String]
    def parse(arguments)
      @arguments = arguments
      @parser.parse(arguments)
    end

    #: () -> String
    def help = @parser.help

    private

    def what_to_run(parser)
      parser.on("--servers A,B", Array, "of #{Servers::NAMES.join(", ")}") do |names|
        @chosen[:servers] = known(names, Servers::NAMES | SlotServers::NAMES)
      end
      parser.on("--variants A,B", Array, "memory: of #{MemoryVariants::NAMES.join(", ")}") do |names|
        @chosen[:variants] = known(names, MemoryVariants::NAMES)
      end
      parser.on("--apps A,B", Array, "http: of #{HttpApps::NAMES.join(", ")}") do |names|
        @chosen[:apps] = known(names, HttpApps::NAMES)
      end
      parser.on("--app NAME or FOLDER", "memory, first, refork, slots: of #{LazyApps::NAMES.join(", ")};",
        "or a folder with #{PreparedApp::FILE}") { |name| choose_app(name) }
      parser.on("--workers N", Integer, "number of worker processes") { |count| @chosen[:workers] = count }
    end

    def how_to_run_it(parser)
      parser.on("--yjit", "servers run with RUBY_YJIT_ENABLE=1") do
        @chosen[:plan][:environment].update("RUBY_YJIT_ENABLE" => "1")
      end
      parser.on("--env NAME=VALUE", "variable for all servers, or coppice:NAME=VALUE; repeatable;",
        "not for refork, recovery") do |text|
        (@chosen[:variables] ||= []) << (Variable.parse(text) || raise(OptionParser::InvalidArgument, text))
      end
      parser.on("--setting LINE", "additional line of Coppice's configuration; repeatable;",
        "not for refork, recovery") do |line|
        (@chosen[:settings] ||= []) << line
      end
      parser.on("--coppice FOLDER", File, "another checkout of Coppice to measure") do |path|
        @chosen[:plan][:checkout] = path
      end
      parser.on("--ruby PATH", "another Ruby for everything (default: the first in the PATH)") do |path|
        switch_ruby(path)
      end
    end

    def how_long(parser)
      parser.on("--seconds N", Float, "duration of one measurement") do |seconds|
        @chosen[:seconds] = seconds.clamp(0.1, 3600)
      end
      parser.on("--rounds N", Integer, "rounds of each server, in turn") { |count| @chosen[:rounds] = count }
      parser.on("--clients N", Integer, "clients at the same time") { |count| @chosen[:clients] = count }
      parser.on("--client-counts A,B", Array, "http: several numbers of clients") do |counts|
        @chosen[:client_counts] = rising(counts)
      end
      parser.on("--requests N", Integer, "memory, refork: requests until warm") { |count| @chosen[:requests] = count }
      parser.on("--points N,N", Array, "memory: request counts at which to measure") do |counts|
        @chosen[:points] = rising(counts)
      end
      parser.on("--kills N", Integer, "recovery: workers to kill in a round") { |count| @chosen[:kills] = count }
      parser.on("--no-save", "only print the report, do not write to bench/results") { @chosen[:save] = false }
    end

    def equal_slots(parser)
      parser.separator "slots, mixed: --servers of #{SlotServers::NAMES.join(", ")}"
      parser.on("--slots N", Integer, "requests that each server can serve at once") { |count| @chosen[:slots] = count }
      parser.on("--shares A,B", Array, "slots: percents of what Puma can do, for open loops") do |shares|
        @chosen[:shares] = rising(shares)
      end
      parser.on("--coppice-workers A,B", Array, "values of worker_processes, such as 16 or 2..16") do |values|
        wrong = values.grep_v(WORKERS)
        raise OptionParser::InvalidArgument, wrong.join(",") if wrong.any?

        @chosen[:coppice_workers] = values
      end
      parser.on("--before FOLDER", File, "the checkout that the server \"before\" runs") do |path|
        @chosen[:before] = path
      end
      parser.on("--rows FILE", File, "keeps what was measured, and is not measured again") do |path|
        @chosen[:rows] = path
      end
    end

    def own_application(parser)
      own = ->(fact) { (@chosen[:own_app] ||= {}).merge!(fact) }
      parser.separator "memory, first, refork: an application outside of this project"
      parser.on("--rackup FILE", File, "its config.ru") { |path| own.call(rackup: path) }
      parser.on("--gemfile FILE", File, "its Gemfile, with the servers added") { |path| own.call(gemfile: path) }
      parser.on("--paths A,B", Array, "paths to request; {n} counts from 1 to 100") { |paths| own.call(paths: paths) }
      parser.on("--before-fork CODE", "Ruby to run before each fork") { |code| own.call(before_fork: code) }
      parser.on("--name NAME", /\A[\w-]+\z/, "its name in the report") { |name| own.call(name: name) }
    end

    def choose_app(name)
      return @chosen[:app] = name if LazyApps::NAMES.include?(name)
      raise OptionParser::InvalidArgument, name unless File.directory?(name)

      prepared = PreparedApp.new(name)
      @chosen[:app] = name
      (@chosen[:own_app] ||= {}).merge!(prepared.own_app)
      @chosen[:plan][:environment].update(prepared.environment)
    end

    def known(names, all)
      unknown = names - all
      raise OptionParser::InvalidArgument, "unknown: #{unknown.join(", ")}" if unknown.any?

      names
    end

    def rising(counts)
      raise OptionParser::InvalidArgument, counts.join(",") unless counts.all?(POSITIVE)

      counts.map(&:to_i).sort.uniq
    end

    # Restarts bin/bench with that Ruby, which then runs the servers as well.
    def switch_ruby(path)
      return if File.realpath(path) == File.realpath(RbConfig.ruby)

      exec(path, File.join(Setup::ROOT, "bench/bench.rb"), *@arguments)
    end
  end
end
