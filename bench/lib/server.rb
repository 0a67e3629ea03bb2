# frozen_string_literal: true

require_relative "setup"

module Bench
  # How one server is told what a Plan asks for: its configuration file and its command line.
  # `config` and `command` are called with (plan, port, config_path). No gem: a program of its own that runs no Ruby, of
  # use as a measure. since: the oldest Ruby that it runs on.
  Server = Struct.new(:name, :gem, :gemfile, :since, :config, :command, keyword_init: true) do
    # What is missing to run it here; nil: nothing.
    #: () -> String?
    def missing
      return "needs Ruby #{since}" if since && Gem::Version.new(RUBY_VERSION) < Gem::Version.new(since)

      "not installed" unless gem || Setup.program(name)
    end
  end

  # What a benchmark asks of a server, in words that mean the same for each of them.
  # threads: of each worker; refork: nil, or the list of request counts after which generations end, or :auto;
  # warmup: Process.warmup in each new mold; before_fork: Ruby to run before each fork; settings: nil, or more lines of its
  # configuration file.
  Plan = Struct.new(:server, :label, :workers, :threads, :app, :refork, :warmup, :before_fork, :settings, :environment, :gemfile, :checkout,
    keyword_init: true) do
    #: () -> Hash[String, String]
    def process_environment = Setup.environment(gemfile).merge(environment)

    #: (Integer, String) -> Array[String]
    def command(port, config_path)
      command = server.command.call(self, port, config_path)
      gemfile ? ["bundle", "exec", *command] : command
    end
  end
end
