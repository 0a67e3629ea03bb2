# frozen_string_literal: true

require "coppice/fork_safety/open_descriptors"
require "coppice/fork_safety/shared_descriptors"
require "coppice/tools/test_reforks/capybara_sessions"
require "coppice/tools/test_reforks/follower"
require "coppice/tools/test_reforks/link"
require "coppice/tools/test_reforks/portable_error"
require "coppice/tools/test_reforks/promotion"

module Coppice
  module TestReforks
    # One run of a suite, in every process that takes part in it. The first process runs the tests of generation 0, and
    # keeps the reporters and the exit handlers. At the first refork it stops between two tests: from then on it only
    # prints what the later generations report, and runs a failed test again. Each later process exits when the next one
    # has been forked, so that no chain of waiting processes grows.
    class Run
      attr_reader :generation #: Integer -- number of reforks before this process

      #: (MinitestSuite | RSpecSuite, every: Integer, timeout: Integer, settings: Config::Settings) -> void
      def initialize(suite, every:, timeout:, settings:)
        @suite = suite
        @every = every
        @timeout = timeout
        @settings = settings
        @generation = 0
        @tests = 0
        @pid = Process.pid
      end

      # Runs the block, which runs the suite. Returns, in the first process only, what the block returned in the last
      # generation, or raises what it raised there.
      #: [T] () { () -> T } -> T
      def call(&block)
        @suite.run = self
        at_exit { tell_reforks unless later? || copy? } # below the suite's own summary
        catch(:coppice_suite_over) { run_to_the_end(&block) }
      end

      # Called between two tests: the place of a refork.
      #: () -> void
      def before_test
        return if following? || copy?

        refork if @tests == @every && fork_safe?
        @tests = 0 if @tests == @every
        @tests += 1
      end

      # Whether this process reports to the first one. A copy that a test has forked does as well.
      #: () -> bool
      def later? = @generation.positive?

      # Whether this process has given the suite to a later generation.
      #: () -> bool
      def following? = !@follower.nil?

      # In a later generation: has the first process report this event. Returns whether the suite must end early.
      #: (Symbol, *untyped) -> bool
      def report(event, *values)
        flush
        answer = @link.ask(:event, event, *values)
        exit!(1) unless answer
        answer == Link::QUIT
      end

      private

      # A process that a test has forked may come here too, when it calls exit.
      def copy? = Process.pid != @pid

      def run_to_the_end
        answer = yield
        ended = true
        answer
      ensure
        hand_over(ended, answer, $!) if later? && !copy?
      end

      # Asked only until the answer is no: nothing makes a process fork-safe again.
      def fork_safe?
        prepare unless @promotion
        return false if @obstacle

        @obstacle = @promotion.obstacle or return true
        warn "coppice: no refork after generation #{@generation}: this process is not fork-safe (#{@obstacle})"
        false
      end

      # A suite that passes without a refork looks like one that has passed through many.
      def tell_reforks
        flush
        count = @follower&.reforks.to_i
        return warn "coppice: the tests ran through #{count} refork#{'s' if count > 1}" if count.positive?

        warn "coppice: there was no refork, so this run says nothing about fork safety#{why_no_refork unless @follower}"
      end

      # The refork comes before test number every + 1.
      def why_no_refork
        return " (this process is not fork-safe)" if @obstacle

        " (#{@tests} test#{'s' if @tests != 1} ran, and COPPICE_REFORK_EVERY is #{@every})"
      end

      def refork
        CapybaraSessions.quit
        flush
        inherited = ForkSafety::OpenDescriptors.links
        return begin_generation(inherited) if @promotion.call(@generation + 1) == :next

        later? ? exit!(0) : follow
      end

      # Processes that the later generations fork must become children of this one.
      def prepare
        raise Error, "this system has no subreaper" unless OS.become_subreaper || Process.pid == 1

        @link = Link.new
        @promotion = Promotion.new(@settings, @link)
      end

      def begin_generation(inherited)
        @generation += 1
        @pid = Process.pid
        @link.tell(:shared, shared_connections(inherited))
        CapybaraSessions.forget_servers
        @suite.begin_generation
      end

      # Connections that all hooks have left to both processes, as texts: each could read the other's answers. The tests
      # are not enough to find them, because only one process of a suite works at a time.
      def shared_connections(inherited)
        findings = ForkSafety::SharedDescriptors.new(inherited).findings
        findings.select { |finding| finding.kind == :shared_connection }
                .map { |finding| "#{finding.owner} (#{finding.detail})" }
      end

      # The rest of the suite runs in later generations. `throw` runs each `ensure` on the way.
      def follow
        @link.keep_reader
        @follower = Follower.new(@link, @suite, @timeout)
        answer = @follower.call
        @suite.leave
        throw(:coppice_suite_over, answer)
      end

      # The end of the last generation. exit!, because the exit handlers are those of the first process.
      def hand_over(ended, answer, error)
        CapybaraSessions.quit
        ended ? tell_end(answer) : tell_error(error || Error.new("the suite was left by a throw"))
        exit!(0)
      ensure
        exit!(1) # nothing of this process may go on beyond the suite
      end

      def tell_end(answer)
        save_coverage if defined?(::SimpleCov) && ::SimpleCov.running
        flush
        @link.tell(:ended, answer, @suite.state)
      rescue UserCodeError => error # of SimpleCov, or of an answer that cannot be copied
        tell_error(error)
      end

      # What the later generations covered: the last one has the counts of all before it. The first process merges them
      # with its own, as it merges those of other test commands.
      def save_coverage
        ::SimpleCov.command_name("#{::SimpleCov.command_name} (generation #{@generation})")
        ::SimpleCov.result
      end

      def tell_error(error)
        flush
        @link.tell(:raised, PortableError.of(error))
      end

      def flush = [$stdout, $stderr].each(&:flush)
    end
  end
end
