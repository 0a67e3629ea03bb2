# frozen_string_literal: true

require "coppice/os/clock"
require "coppice/tools/test_reforks/link"
require "coppice/tools/test_reforks/verdict"

module Coppice
  module TestReforks
    # What the first process does after the first refork: passes the events of the later generations to the suite's
    # reporters, and notices when a generation is lost. Its threads go on, as those of a worker that was promoted.
    class Follower
      POLL = 0.2 # seconds between two looks at a process that does not report

      attr_reader :reforks #: Integer -- the generations that have begun

      Member = Struct.new(:role, :generation, :pid) do
        def to_s = "the #{role} of generation #{generation} (process #{pid})"
      end

      #: (Link, MinitestSuite | RSpecSuite, Integer) -> void
      def initialize(link, suite, timeout)
        @link = link
        @suite = suite
        @timeout = timeout
        @retired = []
        @reforks = 0
        @shared = {}
      end

      # Returns what the suite returned in the last generation; raises what it raised there.
      #: () -> untyped
      def call
        @heard_at = OS::Clock.now
        catch(:ended) do
          loop { look(@link.receive(POLL)) }
        end
      ensure
        end_processes
        warn_of_shared_connections
      end

      private

      def look(message)
        case message
        when nil then look_at_process
        when :closed then lose(ending(kill))
        else
          @heard_at = OS::Clock.now
          obey(*message)
        end
      end

      def obey(kind, *values)
        case kind
        when :forked then follow(Member.new(*values))
        when :shared then @shared[@current.generation] = values.first
        when :event then report(*values)
        when :broken then lose("failed: #{describe(values.first.restore)}")
        when :raised then raise values.first.restore
        when :ended then finish(*values)
        end
      end

      def follow(member)
        @retired << @current if @current
        @current = member
        @reforks = member.generation if member.role == :worker
        @retired.reject! { |retired| reap(retired) }
      end

      def report(event, *values)
        @suite.public_send(event, *values, verdict)
        [$stdout, $stderr].each(&:flush)
        @link.answer(@suite.quit? ? Link::QUIT : Link::GO_ON)
      end

      def verdict
        generation = @current&.generation || 1
        Verdict.new(@suite, generation, @timeout, @shared[generation])
      end

      def finish(answer, state)
        @suite.finish(state)
        throw(:ended, answer)
      end

      # A message that was sent right before the exit comes first.
      def look_at_process
        if @current && (status = reap(@current))
          message = @link.receive(0)
          message.is_a?(Array) ? look(message) : lose(ending(status))
        elsif OS::Clock.now - @heard_at > @timeout
          lose_overdue
        end
      end

      # The process may hang in native code, so nothing less than KILL ends it.
      def lose_overdue
        kill
        lose("was killed, because it made no progress for #{@timeout} s (COPPICE_REFORK_TIMEOUT)", rerun: true)
      end

      # rerun: whether the test that was running may run in this process.
      def lose(how, rerun: false)
        note = rerun && @suite.current_test ? verdict.note(@suite.current_test) : verdict.generation
        @suite.lost("#{@current || 'the first mold'} #{how}\n#{note}\nThe tests after this one did not run.")
        throw(:ended, @suite.lost_answer)
      end

      def describe(error)
        "#{error.message} (#{error.class})#{error.backtrace&.first(10)&.map { |line| "\n  #{line}" }&.join}"
      end

      def ending(status)
        return "is gone" unless status
        return "was killed by SIG#{Signal.signame(status.termsig)}" if status.signaled?

        "exited with status #{status.exitstatus} before the suite had ended"
      end

      # Its status, which is the one that it had before, if it had exited already.
      def kill
        return unless @current

        Process.kill(:KILL, @current.pid)
        Process.wait2(@current.pid).last
      rescue Errno::ESRCH, Errno::ECHILD
        nil
      end

      def reap(member)
        Process.wait2(member.pid, Process::WNOHANG)&.last
      rescue Errno::ECHILD # not adopted yet, or reaped by a test
        nil
      end

      def warn_of_shared_connections
        @shared.values.flatten.tally.each do |connection, count|
          times = "#{count} refork#{'s' if count > 1}"
          warn "\ncoppice: connection shared with the process before, after #{times}: #{connection}"
        end
      end

      def end_processes
        [*@retired, @current].compact.each do |member|
          Process.kill(:KILL, member.pid)
          Process.wait(member.pid)
        rescue Errno::ESRCH, Errno::ECHILD
          next
        end
      end
    end
  end
end
