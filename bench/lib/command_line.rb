# frozen_string_literal: true

require "optparse"
require_relative "options"
require_relative "http_app"
require_relative "lazy_app"
require_relative "memory_variants"
require_relative "servers"
require_relative "setup"

module Bench
  # Reads what is said after `bin/bench`.
  class CommandLine
    POSITIVE = /\A[1-9]\d{0,6}\z/.freeze

    # Not "0": Ruby 3.1 takes any value for yes.
    WITHOUT_YJIT = { "RUBY_YJIT_ENABLE" => nil }.freeze

    attr_reader :chosen #: Hash[Symbol, untyped] -- the members of Options that were named

    #: (banner: String) -> void
    def initialize(banner:)
      @chosen = { save: true, plan: { environment: WITHOUT_YJIT } }
      @parser = OptionParser.new do |parser|
        parser.banner = banner
        what_to_run(parser)
        how_to_run_it(parser)
        how_long(parser)
        an_application_of_ones_own(parser)
      end
    end

    # Answers what is no option. Raises OptionParser::ParseError.
    #: (Array[String]) -> Array[String]
    def parse(arguments)
      @arguments = arguments
      @parser.parse(arguments)
    end

    #: () -> String
    def help = @parser.help

    private

    def what_to_run(parser)
      parser.on("--servers A,B", Array, "of #{Servers::NAMES.join(", ")}") { |names| @chosen[:servers] = known(names, Servers::NAMES) }
      parser.on("--variants A,B", Array, "memory: of #{MemoryVariants::NAMES.join(", ")}") do |names|
        @chosen[:variants] = known(names, MemoryVariants::NAMES)
      end
      parser.on("--apps A,B", Array, "http: of #{HttpApps::NAMES.join(", ")}") { |names| @chosen[:apps] = known(names, HttpApps::NAMES) }
      parser.on("--app NAME", LazyApps::NAMES, "memory, first, refork: of #{LazyApps::NAMES.join(", ")}") { |name| @chosen[:app] = name }
      parser.on("--workers N", POSITIVE, "processes that serve") { |count| @chosen[:workers] = count.to_i }
    end

    def how_to_run_it(parser)
      parser.on("--yjit", "servers run with RUBY_YJIT_ENABLE=1") { @chosen[:plan][:environment] = { "RUBY_YJIT_ENABLE" => "1" } }
      parser.on("--env NAME=VALUE", "not refork, recovery: for all servers, or coppice:NAME=VALUE; repeatable") do |text|
        (@chosen[:variables] ||= []) << (Variable.parse(text) || raise(OptionParser::InvalidArgument, text))
      end
      parser.on("--setting LINE", "not refork, recovery: a line more of Coppice's configuration; repeatable") do |line|
        (@chosen[:settings] ||= []) << line
      end
      parser.on("--coppice FOLDER", "another checkout of Coppice to measure") { |path| @chosen[:plan][:checkout] = File.expand_path(path) }
      parser.on("--ruby PATH", "another Ruby for everything (else the first on the PATH)") { |path| switch_ruby(path) }
    end

    def how_long(parser)
      parser.on("--seconds N", Float, "length of one measurement") { |seconds| @chosen[:seconds] = seconds.clamp(0.1, 600) }
      parser.on("--rounds N", POSITIVE, "each server so often, in turn") { |count| @chosen[:rounds] = count.to_i }
      parser.on("--clients N", POSITIVE, "how many ask at once") { |count| @chosen[:clients] = count.to_i }
      parser.on("--requests N", POSITIVE, "memory, refork: requests until warm") { |count| @chosen[:requests] = count.to_i }
      parser.on("--points N,N", Array, "memory: requests after which to look") { |counts| @chosen[:points] = rising(counts) }
      parser.on("--kills N", POSITIVE, "recovery: workers to kill in a round") { |count| @chosen[:kills] = count.to_i }
      parser.on("--no-save", "print only, leave bench/results alone") { @chosen[:save] = false }
    end

    def an_application_of_ones_own(parser)
      own = ->(fact) { (@chosen[:own_app] ||= {}).merge!(fact) }
      parser.separator "memory, first, refork: an application that lies elsewhere"
      parser.on("--rackup FILE", "its config.ru") { |path| own.call(rackup: File.expand_path(path)) }
      parser.on("--gemfile FILE", "its Gemfile, with the servers") { |path| own.call(gemfile: File.expand_path(path)) }
      parser.on("--paths A,B", Array, "what to ask for; {n} counts from 1 to 100") { |paths| own.call(paths: paths) }
      parser.on("--before-fork CODE", "Ruby to run before each fork") { |code| own.call(before_fork: code) }
      parser.on("--name NAME", /\A[\w-]+\z/, "what the report calls it") { |name| own.call(name: name) }
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

    # Starts again as that Ruby, which then is the one that servers run with.
    def switch_ruby(path)
      return if File.realpath(path) == File.realpath(RbConfig.ruby)

      exec(path, File.join(Setup::ROOT, "bench/bench.rb"), *@arguments)
    end
  end
end
