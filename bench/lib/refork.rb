# frozen_string_literal: true

require_relative "lazy_app"
require_relative "refork_round"
require_relative "refork_tables"
require_relative "rounds"

module Bench
  # What do users notice of a refork, and what does it cost? As many clients as workers, so that each worker that is away
  # is missed, and each processor that readies a mold as well.
  class Refork
    # What there is to compare for each server.
    VARIANTS = {
      "coppice" => [{}, { settings: ["refork_surge 0"] }, { settings: ['refork_surge "50%"'] }, { settings: ["warmup false"] }],
      "pitchfork" => [{}, { warmup: true }]
    }.freeze

    #: (Options) -> void
    def initialize(options)
      unknown = options.servers - VARIANTS.keys
      raise Failure, "refork knows #{VARIANTS.keys.join(" and ")}, not #{unknown.join(", ")}" if unknown.any?

      @options = options
      @app = LazyApps.of(options)
    end

    #: () -> Array[Plan]
    def plans
      @plans ||= @options.servers.flat_map do |name|
        VARIANTS.fetch(name).filter_map do |variant|
          next if variant[:warmup] && !Process.respond_to?(:warmup) # Ruby 3.3 has it first

          Servers.plan(name, **@options.plan, **variant, label: label(name, variant), workers: workers,
            app: @app.rackup, gemfile: @app.gemfile, before_fork: @app.before_fork)
        end
      end
    end

    #: (Report) -> void
    def call(report)
      rounds = Rounds.new(plans, @options.rounds) { |server| measure(server) }
      report.text "#{@app.description} #{workers} workers, #{clients} clients in a closed loop. #{@options.requests} requests to " \
                  "warm up, #{@options.seconds} s in peace, a refork; #{@options.rounds} rounds in turn: median (lowest–highest). " \
                  "Ratios are to the same server in peace, within a round."
      rounds.write_refused(report)
      ReforkTables.new(rounds.found).write(report)
    end

    private

    def workers = @options.workers || 4
    def clients = @options.clients || workers

    def label(name, variant)
      [name, *variant[:settings], *("Process.warmup" if variant[:warmup])].join(", ")
    end

    def measure(server)
      ReforkRound.new(server, clients: clients, **@app.load)
                 .measure(warm_up_requests: @options.requests, steady_seconds: @options.seconds)
    end
  end
end
