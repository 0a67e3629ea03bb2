# frozen_string_literal: true

require_relative "setup"
require_relative "server"

module Bench
  # All servers. Each runs under the same conditions: one thread for each worker (Puma may have more if the plan says
  # so), the application loaded before the workers are forked, no access log, and only the application's own middleware
  # if the server allows that choice.
  module Servers
    FLOOR = "nginx"

    PITCHFORK_CONFIG = lambda do |plan, _port, _path|
      lines = ["worker_processes #{plan.workers}"]
      lines << "refork_after #{plan.refork.inspect}" if plan.refork
      lines << "after_mold_fork { |_server, _mold| Process.warmup }" if plan.warmup
      lines << "before_fork { |_server| #{plan.before_fork} }" if plan.before_fork
      [*lines, *plan.settings].join("\n")
    end

    # As after the first start of a release: the garbage collector is fitted. What it measures goes to a folder of the
    # run, so that no run knows of another.
    COPPICE_CONFIG = lambda do |plan, port, path|
      "gc_profile :fitted, wait: true\n#{PITCHFORK_CONFIG.call(plan, port, path)}"
    end

    # The address of the command line keeps the options that the file gives it.
    DIRECT_CONFIG = lambda do |plan, port, path|
      "#{COPPICE_CONFIG.call(plan, port, path)}\nlisten '127.0.0.1:#{port}', lobby: false"
    end

    COPPICE_COMMAND = lambda do |plan, port, path|
      ["#{plan.checkout}/exe/coppice", "-c", path, "-l", "127.0.0.1:#{port}", plan.app]
    end

    PUMA_CONFIG = lambda do |plan, port, _path|
      lines = ["bind 'tcp://127.0.0.1:#{port}'", "workers #{plan.workers}", "threads #{plan.threads}, #{plan.threads}",
               "silence_single_worker_warning"]
      lines << "before_fork { #{plan.before_fork} }" if plan.before_fork
      lines << "before_refork { #{plan.before_fork} }" if plan.before_fork && plan.refork
      lines << (plan.refork ? "fork_worker #{plan.refork.first}" : "preload_app!")
      [*lines, *plan.settings].join("\n")
    end

    UNICORN_CONFIG = lambda do |plan, port, _path|
      lines = ["listen '127.0.0.1:#{port}'", "worker_processes #{plan.workers}", "preload_app true"]
      lines << "before_fork { |_server, _worker| #{plan.before_fork} }" if plan.before_fork
      lines.join("\n")
    end

    ITSI_CONFIG = lambda do |plan, port, _path|
      ["bind 'http://127.0.0.1:#{port}'", "workers #{plan.workers}", "threads 1", "preload true", "log_level :error",
       "location('*') { rackup_file #{plan.app.inspect} }"].join("\n")
    end

    # Otherwise in folders that only root can write to.
    NGINX_FOLDERS = %w[client_body proxy fastcgi uwsgi scgi].freeze

    # The lower bound: no application, and the same bytes in each response.
    NGINX_CONFIG = lambda do |plan, port, path|
      <<~CONF
        daemon off; pid #{path}.pid; worker_processes #{plan.workers};
        events { #{plan.settings&.join(" ") || "worker_connections 512;"} }
        http {
          access_log off; keepalive_requests 1000000;
          #{NGINX_FOLDERS.map { |name| "#{name}_temp_path #{path}.#{name};" }.join(" ")}
          server { listen 127.0.0.1:#{port}; location / { default_type text/plain; return 200 "Hello, World!\\n"; } }
        }
      CONF
    end

    APPS = File.join(Setup::ROOT, "bench/apps").freeze
    NO_CONFIG = ->(_plan, _port, _path) { "" }

    TABLE = [
      Server.new(name: "coppice", gem: "coppice", gemfile: "Gemfile", config: COPPICE_CONFIG,
        command: COPPICE_COMMAND),
      # Workers accept their clients themselves.
      Server.new(name: "coppice-direct", gem: "coppice", gemfile: "Gemfile", config: DIRECT_CONFIG,
        command: COPPICE_COMMAND),
      Server.new(name: "pitchfork", gem: "pitchfork", gemfile: "Gemfile", config: PITCHFORK_CONFIG,
        command: ->(plan, port, path) { ["pitchfork", "-c", path, "-l", "127.0.0.1:#{port}", plan.app] }),
      Server.new(name: "puma", gem: "puma", gemfile: "Gemfile", config: PUMA_CONFIG,
        command: ->(plan, _port, path) { ["puma", "-C", path, plan.app] }),
      # -N turns off its default middleware, which needs Rack::Chunked. Rack 3.1 has removed that.
      Server.new(name: "unicorn", gem: "unicorn", gemfile: "Gemfile", config: UNICORN_CONFIG,
        command: ->(plan, _port, path) { ["unicorn", "-N", "-c", path, plan.app] }),
      Server.new(name: "falcon", gem: "falcon", gemfile: "Gemfile.more", since: "3.3", config: NO_CONFIG,
        command: lambda do |plan, port, _path|
          ["falcon", "serve", "--forked", "--count", plan.workers.to_s, "--bind", "http://127.0.0.1:#{port}",
           "--config", plan.app]
        end),
      Server.new(name: "itsi", gem: "itsi-server", gemfile: "Gemfile.more", since: "3.3", config: ITSI_CONFIG,
        command: ->(_plan, _port, path) { ["itsi", "-C", path, "start"] }),
      Server.new(name: "iodine", gem: "iodine", gemfile: "Gemfile.more", since: "3.3", config: NO_CONFIG,
        command: lambda do |plan, port, _path|
          ["iodine", "-b", "127.0.0.1", "-p", port.to_s, "-w", plan.workers.to_s, "-t", "1", plan.app]
        end),
      Server.new(name: FLOOR, config: NGINX_CONFIG,
        command: ->(_plan, _port, path) { [Setup.program(FLOOR), "-e", "stderr", "-c", path] })
    ].freeze

    NAMES = TABLE.map(&:name).freeze
    DEFAULT = %w[coppice pitchfork puma unicorn].freeze

    #: (String) -> Server
    def self.named(name)
      TABLE.find { |server| server.name == name } or
        raise Failure, "this benchmark does not run #{name}; it knows #{NAMES.join(", ")}"
    end

    # A plan for the named server, by default with the hello application on two workers.
    #: (String, checkout: String, **untyped) -> Plan
    def self.plan(name, checkout:, label: name, workers: 2, app: "hello.ru", threads: 1, gemfile: nil,
                  environment: {}, **others)
      server = named(name)
      gemfile ||= server.gemfile
      Plan.new(server: server, label: label, workers: workers, threads: threads,
        app: File.expand_path(app, APPS),
        gemfile: gemfile && File.expand_path(gemfile, File.join(Setup::ROOT, "bench")), environment: environment,
        checkout: checkout, **others)
    end

    # A plan for each variant of a server: its own settings and `warmup`, which also name it.
    #: (String, Array[Hash[Symbol, untyped]], ?settings: Array[String]?, **untyped) -> Array[Plan]
    def self.variants(name, variants, settings: nil, **others)
      variants.filter_map do |variant|
        next if variant[:warmup] && !Process.respond_to?(:warmup) # new in Ruby 3.3

        label = [name, *variant[:settings], *("Process.warmup" if variant[:warmup])].join(", ")
        plan(name, **others, **variant, settings: [*settings, *variant[:settings]], label: label)
      end
    end
  end
end
