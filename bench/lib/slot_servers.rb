# frozen_string_literal: true

require_relative "servers"

module Bench
  # Servers with an equal number of slots, which is how many requests a server can serve at the same time. A slot is a
  # thread of Puma, or a worker of the others.
  class SlotServers
    NAMES = %w[puma puma-single puma-io pitchfork unicorn coppice before].freeze
    THREADS = 4 # of each of Puma's workers

    #: (Options, ?refork_after: Array[untyped]?, **untyped) -> void
    def initialize(options, refork_after: nil, **application)
      @options = options
      @slots = options.slots
      @refork_after = refork_after
      @application = application
    end

    # The label of the server that the others are compared with.
    #: () -> String
    def reference = "puma #{puma_workers}x#{puma_threads}"

    #: () -> Array[Plan]
    def plans = @options.servers.flat_map { |name| plans_of(name) }

    private

    def puma_threads = [@slots, THREADS].min
    def puma_workers = @slots / puma_threads

    def plans_of(name)
      case name
      when "puma" then [puma(reference)]
      when "puma-single" then [puma("puma 1x#{@slots}", workers: 0, threads: @slots)]
      when "puma-io" then [puma("#{reference}, io", settings: ["max_io_threads #{@slots}"])]
      when "pitchfork" then [plan("pitchfork", label: "pitchfork #{@slots}", workers: @slots, refork: @refork_after)]
      when "unicorn" then [plan("unicorn", label: "unicorn #{@slots}", workers: @slots)]
      when "coppice" then coppice_workers.map { |workers| coppice("coppice #{workers}", workers) }
      when "before" then [coppice("before #{@slots}", @slots, checkout: before)]
      else raise Failure, "this benchmark does not run #{name}; it knows #{NAMES.join(", ")}"
      end
    end

    def puma(label, workers: puma_workers, threads: puma_threads, **others)
      plan = plan("puma", label: label, workers: workers, threads: threads, **others)
      plan.environment = { **plan.environment, "RAILS_MAX_THREADS" => threads.to_s }
      plan
    end

    def coppice(label, workers, **others)
      plan("coppice", label: label, workers: workers, refork: :auto, **others)
    end

    def coppice_workers = @options.coppice_workers || [@slots.to_s]
    def before = @options.before || raise(Failure, "the server \"before\" needs --before FOLDER")

    def plan(name, **facts) = Servers.plan(name, **@options.plan_for(name), **@application, **facts)
  end
end
