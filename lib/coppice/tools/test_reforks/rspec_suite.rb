# frozen_string_literal: true

require "coppice/tools/test_reforks/rspec_example"
require "coppice/tools/test_reforks/rspec_reporter"
require "coppice/tools/test_reforks/test_seed"

module Coppice
  module TestReforks
    # Connects a run with RSpec. The first process keeps the formatters, the suite hooks and the exit status.
    class RSpecSuite
      # Prepended to RSpec's Configuration: the method that runs all groups, between the suite hooks.
      module Entry
        def with_suite_hooks
          return super if dry_run?

          super { RSpecSuite.run(self) { yield } }
        end
      end

      # Prepended to RSpec's Example.
      module EachExample
        def run(instance, reporter)
          RSpecSuite.current&.before(self, reporter)
          super
        end
      end

      GROUP_EVENTS = %i[example_group_started example_group_finished].freeze
      EXAMPLE_EVENTS = %i[example_started example_passed example_failed example_pending].freeze

      class << self
        attr_reader :current #: RSpecSuite?

        #: (untyped) { () -> untyped } -> untyped
        def run(configuration, &block)
          @current = new(configuration)
          TestReforks.run(@current, &block)
        ensure
          @current.arrive
          @current = nil
        end
      end

      attr_accessor :run        #: Run
      attr_reader :current_test #: untyped
      attr_reader :lost_answer  #: bool

      #: (untyped) -> void
      def initialize(configuration)
        @world = configuration.world
        @seed = configuration.seed
        @reporter = configuration.reporter
        @left = false
        @lost_answer = false
      end

      # RSpec runs examples one after another.
      #: () -> nil
      def obstacle; end

      # Called before each example, in the process that runs it. A null reporter belongs to an example that other code
      # runs by itself.
      #: (untyped, untyped) -> void
      def before(example, reporter)
        return unless run && reporter.equal?(@reporter)

        @open_groups = example.example_group.parent_groups unless run.following?

        unless @reporter.is_a?(RSpecReporter)
          @reporter.extend(RSpecReporter)
          @reporter.coppice_suite = self
        end
        run.before_test
        plant_seed(example) if run.later?
      end

      # In a new generation. RSpec's own handler would print the same line in each process.
      #: () -> void
      def begin_generation
        trap(:INT) { @world.wants_to_quit = true }
      end

      # In a later generation: what happened, as the first process can load it.
      #: (Symbol, untyped) -> void
      def forward(event, notification)
        case event
        when *GROUP_EVENTS then tell(:group, event, notification.group.id)
        when *EXAMPLE_EVENTS then tell(:example, event, notification.example.id)
        when :example_finished then tell(:finished, RSpecExample.of(notification.example))
        else tell(:other, event, Marshal.dump(notification))
        end
      rescue TypeError # a custom event with something that cannot be copied
        nil
      end

      # What the first process needs from the last generation.
      #: () -> Hash[Symbol, bool]
      def state = { quit: @world.wants_to_quit, error: @world.non_example_failure }

      # In the first process, when the last generation has ended.
      #: (Hash[Symbol, bool]) -> void
      def finish(state)
        @world.wants_to_quit = true if state[:quit]
        @world.non_example_failure = true if state[:error]
      end

      # In the first process, before it leaves the groups, which the later generations have reported: from now on their
      # hooks run unseen, until it has left them.
      #: () -> void
      def leave = @left = true

      #: () -> void
      def arrive = @left = false

      #: () -> bool
      def left? = @left

      # Whether this process was interrupted.
      #: () -> bool
      def quit? = @world.wants_to_quit ? true : false

      # The events of later generations, in the first process.
      #: (Symbol, String, Verdict) -> void
      def group(event, id, _verdict)
        group = @world.all_example_groups.find { |known| known.id == id }
        @reporter.public_send(event, group) if group
      end

      #: (Symbol, String, Verdict) -> void
      def example(event, id, _verdict)
        example = example_of(id) or return
        @current_test = event == :example_started ? example : nil
        @reporter.public_send(event, example)
      end

      #: (RSpecExample, Verdict) -> void
      def finished(result, verdict)
        example = example_of(result.id) or return
        error = result.exception&.restore
        verdict.annotate(example, [printed(error)]) if error && result.failed?
        result.apply_to(example, error)
        @reporter.example_finished(example)
      end

      #: (Symbol, String, Verdict) -> void
      def other(event, dump, _verdict)
        @reporter.notify(event, Marshal.load(dump)) # rubocop:disable Security/MarshalLoad
      end

      #: (Verdict) -> void
      def non_example_error(_verdict)
        @world.non_example_failure = true
        @reporter.count_non_example_error
      end

      # In the first process: a later generation is gone.
      #: (String) -> void
      def lost(text)
        error = Error.new(text).tap { |lost| lost.set_backtrace([]) }
        return @reporter.notify_non_example_exception(error, "An error occurred in a refork.") unless current_test

        RSpecExample.fail(current_test, error)
        @reporter.example_finished(current_test)
        @reporter.example_failed(current_test)
      end

      # Runs an example in the first process.
      #: (untyped) -> bool
      def passes_here?(example)
        plant_seed(example)
        RSpecExample.passes_alone?(example, open_groups: @open_groups)
      end

      private

      def plant_seed(example) = TestSeed.plant(@seed, example.id)

      def tell(event, *values)
        @world.wants_to_quit = true if run.report(event, *values)
      end

      # Formatters print the failures of an example that has several of them, but not the message of them together.
      def printed(error) = error.respond_to?(:all_exceptions) ? error.all_exceptions.last : error

      def example_of(id)
        @examples ||= @world.all_examples.to_h { |example| [example.id, example] }
        @examples[id]
      end
    end
  end
end
