# frozen_string_literal: true

require_relative "setup"

module Bench
  # How to run one server: its configuration file and its command line. `config` and `command` are called with (plan,
  # port, config_path). A server without a gem is a program that runs no Ruby, for comparison. since: the oldest Ruby
  # that it supports.
  Server = Struct.new(:name, :gem, :gemfile, :since, :config, :command, keyword_init: true) do
    # Why the server cannot run here; nil if it can.
    #: () -> String?
    def missing
      return "needs Ruby #{since}" if since && Gem::Version.new(RUBY_VERSION) < Gem::Version.new(since)

      "not installed" unless gem || Setup.program(name)
    end
  end

  # How a benchmark wants a server to run, independent of the server. threads: of each worker; refork: nil, or the list
  # of request counts after which generations end, or :auto; warmup: Process.warmup in each new mold; before_fork: Ruby
  # code to run before each fork; settings: nil, or additional lines of its configuration file.
  Plan = Struct.new(:server, :label, :workers, :threads, :app, :refork, :warmup, :before_fork, :settings, :environment,
    :gemfile, :checkout, keyword_init: true) do
    #: () -> Hash[String, String]
    def process_environment = Setup.environment(gemfile).merge(environment)

    #: (Integer, String) -> Array[String]
    def command(port, config_path)
      command = server.command.call(self, port, config_path)
      gemfile ? ["bundle", "exec", *command] : command
    end

    # Below how many workers a server with all its processes never is: Coppice also takes a range, such as "2..16".
    #: () -> Integer
    def fewest_workers = workers.to_s.to_i

    # The server's version; of Coppice also the commit.
    #: () -> String?
    def version
      case server.gem
      when "coppice" then coppice_version
      when nil then IO.popen([Setup.program(server.name), "-v"], err: [:child, :out], &:read)[/[\d.]+/]
      else locked(server.gem)
      end
    end

    # The version of a gem of its bundle.
    #: (String) -> String?
    def locked(gem) = File.read("#{gemfile}.lock")[/^    #{Regexp.escape(gem)} \(([^)]+)\)/, 1]

    private

    def coppice_version
      version = File.read("#{checkout}/lib/coppice/version.rb")[/VERSION = "([^"]+)"/, 1]
      commit = IO.popen(["git", "-C", checkout, "describe", "--always", "--dirty"], err: File::NULL, &:read).strip
      commit.empty? ? version : "#{version} (#{commit})"
    end
  end
end
