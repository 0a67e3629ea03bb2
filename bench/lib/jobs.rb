# frozen_string_literal: true

require_relative "benchmark"
require_relative "jobs_app"
require_relative "memory_map"

module Bench
  # How much memory does a whole server with Solid Queue use? Coppice with a service, and Puma with Solid Queue's
  # plugin, each with the processes that Solid Queue forks and with its threads (mode async).
  class Jobs < Benchmark
    SERVICE = "service(:solid_queue, timeout: 15) { SolidQueue::Supervisor.start%s }"
    WARM_UP = 'warm_up_requests "/posts", "/posts/1"'
    PUMA_THREADS = 3 # as `rails new` has it
    VARIANTS = [
      ["coppice", "coppice, service", [WARM_UP, format(SERVICE, "")]],
      ["coppice", "coppice, service, async", [WARM_UP, format(SERVICE, "(mode: :async)")]],
      ["puma", "puma, plugin", ["plugin :solid_queue"]],
      ["puma", "puma, plugin, async", ["plugin :solid_queue", "solid_queue_mode :async"]]
    ].freeze
    CLIENTS = 2
    REST_SECONDS = 15 # a mold that is not kept has exited by then
    TIMEOUT = 300 # seconds until all jobs are finished
    INTERVAL = 0.5

    Round = Struct.new(:memory, :jobs, :errors, keyword_init: true)

    #: () -> Array[Plan]
    def plans
      @plans ||= VARIANTS.select { |name,| @options.servers.include?(name) }.map do |name, label, settings|
        common = @options.plan_for(name)
        Servers.plan(name, **JobsApp.plan, **common, label: label, workers: @options.workers || 2,
          threads: PUMA_THREADS, refork: (:auto if name == "coppice"), settings: [*common[:settings], *settings],
          environment: { **common.fetch(:environment), **JobsApp::ENVIRONMENT })
      end
    end

    #: (Report) -> void
    def call(report)
      rounds = plans.to_h { |plan| [plan, Array.new(@options.rounds) { round(plan) }] }
      report.text "A new Rails application with Solid Queue, Solid Cable and Solid Cache on SQLite, " \
                  "#{plans.first.workers} workers; Puma's have #{PUMA_THREADS} threads, as `rails new` writes, and " \
                  "Coppice has `#{WARM_UP}`. #{@options.requests} requests of #{CLIENTS} clients; each third one " \
                  "enqueues a job that renders, and broadcasts to the cable. Measured #{REST_SECONDS} s after the " \
                  "last job. Rounds: #{@options.rounds}."
      report.table ["server", "total PSS, MiB", "processes", "jobs", "lost", "run twice", "failed requests"],
        rounds.map { |plan, of_plan| [plan.label, *row(of_plan)] }
    end

    private

    def round(plan)
      JobsApp.prepare
      RunningServer.run(plan) do |server|
        load = Load.run(server.port, path: JobsApp::PATHS.join(","), modulus: 100, clients: CLIENTS,
          requests: @options.requests, seconds: TIMEOUT)
        jobs = finished_jobs(server)
        sleep REST_SECONDS
        MemoryMap.wait_until_quiet(server)
        Round.new(memory: MemoryMap.of(server.tree), jobs: jobs, errors: load.error_count)
      end
    end

    def finished_jobs(server)
      server.wait_until("all jobs are finished", timeout: TIMEOUT, interval: INTERVAL) do
        jobs = JobsApp.jobs(server)
        jobs if jobs.unfinished.zero?
      end
    end

    def row(rounds)
      memory, jobs = rounds.map(&:memory), rounds.map(&:jobs)
      [Spread.new(memory.map(&:total_mib)), Spread.new(memory.map { |map| map.sizes.size }),
       Spread.new(jobs.map(&:all)), jobs.sum(&:lost), jobs.sum(&:repeated), rounds.sum(&:errors)]
    end
  end
end
