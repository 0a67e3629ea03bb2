# frozen_string_literal: true

require "forwardable"
require "coppice/tools/test_reforks/portable_error"
require "coppice/tools/test_reforks/test_seed"

module Coppice
  module TestReforks
    # Stands before the reporters of Minitest. Test classes call `prerecord` before and `record` after each test.
    class MinitestSuite
      extend Forwardable

      # Prepended to Minitest: the methods that run all test classes, of Minitest 5 and 6. Later processes never
      # leave them.
      module Entry
        def __run(reporter, options) = MinitestSuite.run(reporter) { |suite| super(suite, options) }

        def run_all_suites(reporter, options) = MinitestSuite.run(reporter) { |suite| super(suite, options) }
      end

      # Yields what the test classes report to: the reporter itself, if there are no reforks.
      #: (untyped) { (untyped) -> untyped } -> nil
      def self.run(reporter)
        suite = new(reporter)
        TestReforks.run(suite) do
          yield suite.run ? suite : reporter
          nil # the answers of the test classes, which Minitest does not use, may be what no process can copy to another
        end
      end

      attr_accessor :run        #: Run?
      attr_reader :current_test #: [Class, String]? -- the test class and the name of the method
      attr_reader :lost_answer  #: nil

      #: (untyped) -> void
      def initialize(reporter)
        @reporter = reporter
        @test_classes = ::Minitest::Runnable.runnables.dup # the same ones in all processes
      end

      # What Minitest asks for when it shows the results so far, on a signal.
      def_delegators :@reporter, :passed?, :reporters

      # Why the suite cannot run with reforks; nil when it can.
      #: () -> String?
      def obstacle
        parallel = @test_classes.find { |test_class| parallel?(test_class) }
        return unless parallel && ::Minitest.parallel_executor

        ::Minitest.parallel_executor.shutdown # Rails has forked its processes by now: they exit
        "#{parallel} runs its tests in parallel, by threads or processes of one run. Set MT_CPU=1 (parallelize_me!) " \
          "or PARALLEL_WORKERS=1 (Rails), or split the suite with parallel_tests"
      end

      # Called before each test, in the process that runs it.
      def prerecord(test_class, name)
        @run&.before_test
        return @reporter.prerecord(test_class, name) unless @run&.later?

        @run.report(:started, @test_classes.index(test_class), name)
        plant_seed(Test.new(test_class, name))
      end

      # Called with the result of each test, in the process that ran it.
      def record(result)
        return @reporter.record(result) unless @run&.later?

        @run.report(:finished, *portable(result))
      end

      # In a new generation.
      #: () -> void
      def begin_generation; end

      # What the first process needs from the last generation.
      #: () -> nil
      def state; end

      # In the first process, when the last generation has ended.
      #: (nil) -> void
      def finish(_state); end

      # In the first process, before it leaves the test classes.
      #: () -> void
      def leave; end

      #: () -> bool
      def quit? = false

      # In the first process: a later generation begins a test.
      #: (Integer, String, Verdict) -> void
      def started(index, name, _verdict)
        @current_test = Test.new(@test_classes.fetch(index), name)
        @reporter.prerecord(@current_test.test_class, name)
      end

      # In the first process: the result of that test.
      #: (String, Array[untyped], Verdict) -> void
      def finished(dump, failures, verdict)
        result = Marshal.load(dump) # rubocop:disable Security/MarshalLoad
        result.failures = failures.map { |unexpected, error| restore(unexpected, error) }
        verdict.annotate(@current_test, result.failures) unless result.passed? || result.skipped?
        @current_test = nil
        @reporter.record(result)
      end

      # In the first process: a later generation is gone.
      #: (String) -> void
      def lost(text)
        test = @current_test || Test.new(nil, "the refork")
        result = ::Minitest::Result.new(test.name)
        result.klass = (test.test_class || TestReforks).name
        result.source_location = test.source_location
        result.time = 0
        result.failures = [::Minitest::UnexpectedError.new(Error.new(text).tap { |error| error.set_backtrace([]) })]
        @reporter.record(result)
      end

      # Runs a test in the first process.
      #: (Test) -> bool
      def passes_here?(test)
        plant_seed(test)
        test.test_class.new(test.name).run.passed?
      end

      private

      def plant_seed(test) = TestSeed.plant(::Minitest.seed, test.to_s)

      # Whether its tests go to Minitest's executor, of threads or of Rails' processes. Without `runnable_methods`,
      # which draws random numbers and so changes the order of the tests.
      def parallel?(test_class)
        test_class.singleton_class.include?(::Minitest::Parallel::Test::ClassMethods) &&
          test_class.public_instance_methods.any? { |name| name.start_with?("test_") }
      end

      def portable(result)
        copy = result.dup
        copy.failures = []
        [dump(copy), result.failures.map { |failure| portable_failure(failure) }]
      end

      def dump(result)
        Marshal.dump(result)
      rescue TypeError # something in the metadata
        result.metadata = {}
        Marshal.dump(result)
      end

      def portable_failure(failure)
        unexpected = failure.is_a?(::Minitest::UnexpectedError)
        [unexpected, PortableError.of(unexpected ? failure.error : failure)]
      end

      def restore(unexpected, portable)
        error = portable.restore
        return error if !unexpected && error.is_a?(::Minitest::Assertion)

        ::Minitest::UnexpectedError.new(error)
      end

      Test = Struct.new(:test_class, :name) do
        def to_s = "#{test_class}##{name}"

        def source_location
          (test_class.instance_method(name).source_location if test_class&.method_defined?(name)) || ["unknown", -1]
        end
      end
      private_constant :Test
    end
  end
end
