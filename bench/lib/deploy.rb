# frozen_string_literal: true

require "tmpdir"
require_relative "benchmark"
require_relative "deploy_chain"
require_relative "lazy_app"
require_relative "release_copy"
require_relative "spread"

module Bench
  # A deploy as a platform of containers makes it: a new server boots from an image of its own while the old one serves,
  # gets the clients when its health check is answered, and the old one is stopped. How much memory both take at the
  # most, and how the first requests of the new server compare with its later ones. Each server is followed by the next
  # one, from two copies of application and gems in turn, with one state directory.
  class Deploy < Benchmark
    # Of one server. before: what the old one is told before the next one boots.
    Variant = Struct.new(:label, :workers, :settings, :keeps, :before, keyword_init: true)

    WARM = ['warm_up_requests "/products/7", :learned, wait: true'].freeze
    FEWER = ["workers", "1"].freeze
    VARIANTS = [
      Variant.new(label: "4 workers, nothing else", workers: 4, settings: []),
      Variant.new(label: "4 workers, warmed up", workers: 4, settings: WARM, keeps: true),
      Variant.new(label: "1 to 4 workers, warmed up", workers: "1..4", settings: WARM, keeps: true),
      Variant.new(label: "the same, and the old server has 1 while the new one boots", workers: "1..4", settings: WARM,
        keeps: true, before: FEWER)
    ].freeze

    # Without what other benchmarks add.
    CONFIG = ->(plan, _port, _path) { ["worker_processes #{plan.workers}", *plan.settings].join("\n") }

    #: (Options) -> void
    def initialize(options)
      super
      @app = LazyApps.shop
    end

    # Of the original: its gems and its database are what the copies are made of.
    #: () -> Array[Plan]
    def plans = @plans ||= [Servers.plan("coppice", **@app.plan, **@options.plan_for("coppice"), workers: 4)]

    #: (Report) -> void
    def call(report)
      copies = %w[a b].map { |name| ReleaseCopy.new(name).make(@options.checkout) }
      chains = VARIANTS.map { |variant| chain(variant, copies) }
      report.text "#{@app.description} #{@options.rounds} deploys, one after the other, #{DeployChain::CLIENTS} " \
                  "clients in a closed loop. The memory of old and new together is sampled every " \
                  "#{DeployChain::INTERVAL} s. \"First\" are the first #{@options.requests} requests after each " \
                  "deploy, \"steady\" as many of the same server later; percentiles are of all deploys together. " \
                  "Median (lowest–highest)."
      report.table ["", "one alone, MiB", "both, at most, MiB", "times as much"], rows(chains, :memory_row)
      report.table ["", "first p50, ms", "steady", "ratio", "first p99, ms", "steady", "ratio"],
        rows(chains, :latency_row)
      report.table ["", "CPU ms a request, first", "steady", "ratio", "seconds to the health check", "failed requests"],
        rows(chains, :cost_row)
    end

    private

    def chain(variant, copies)
      Dir.mktmpdir("coppice-bench") do |folder|
        state = variant.keeps ? "#{folder}/state".dump : "false"
        chosen = @options.plan_for("coppice")
        plans = copies.map do |copy|
          parts = { **chosen, **copy.plan, environment: chosen[:environment].merge(copy.plan[:environment]) }
          settings = ["state_directory #{state}", before_fork, *variant.settings, *chosen[:settings]]
          Servers.plan("coppice", **parts, label: variant.label, workers: variant.workers, settings: settings)
                 .tap { |plan| plan.server = plan.server.dup.tap { |server| server.config = CONFIG } }
        end
        DeployChain.new(plans, folder, load: @app.load, requests: @options.requests, before: variant.before)
                   .run(@options.rounds)
      end
    end

    def before_fork = "before_fork { |_server| #{@app.before_fork} }"
    def rows(chains, kind) = VARIANTS.zip(chains).map { |variant, chain| [variant.label, *send(kind, chain)] }

    def memory_row(chain)
      [Spread.new(chain.deploys.map(&:alone_mib)).to_s, Spread.new(chain.deploys.map(&:peak_mib)).to_s,
       Spread.new(chain.deploys.map { |deploy| deploy.peak_mib / deploy.alone_mib }).to_s(digits: 2)]
    end

    def latency_row(chain)
      [0.5, 0.99].flat_map do |share|
        first, steady = [chain.first, chain.steady].map { |phases| percentile(phases, share) }
        [format("%.1f", first), format("%.1f", steady), format("%.2f", first / steady)]
      end
    end

    def percentile(phases, share)
      all = phases.flat_map { |phase| phase.load.latencies_us }.sort
      all[((all.size - 1) * share).to_i] / 1000.0
    end

    def cost_row(chain)
      first, steady = [chain.first, chain.steady].map do |phases|
        phases.sum(&:cpu_seconds) * 1000 / phases.sum { |phase| phase.load.answered }
      end
      [format("%.1f", first), format("%.1f", steady), format("%.2f", first / steady),
       Spread.new(chain.deploys.map(&:seconds)).to_s(digits: 1), chain.error_count]
    end
  end
end
