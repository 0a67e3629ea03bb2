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
  end
end
