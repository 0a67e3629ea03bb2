# frozen_string_literal: true

module Chaos
  module Faults
    # A process, the monitor, or the whole tree is stopped for a while, as by a debugger, a snapshot of the machine or a
    # cgroup's freezer.
    class Paused
      #: (Random) -> Paused
      def self.draw(random)
        new(%i[worker mold service monitor tree].sample(random: random), random.rand(0.1..1.0).round(2), random.rand)
      end

      #: (Symbol, Float, Float) -> void
      def initialize(whom, seconds, share)
        @whom = whom
        @seconds = seconds
        @share = share
      end

      #: () -> String
      def to_s = "#{@whom} stopped for a while"

      #: (Target) -> bool
      def inject(target)
        pids = chosen(target)
        (pids - [target.monitor]).each { |pid| target.victims.add(pid, :freeze, self) }
        stopped = pids.select { |pid| target.signal(:STOP, pid) }
        target.pause(@seconds)
        stopped.reverse_each { |pid| target.signal(:CONT, pid) }
        stopped.any?
      end

      private

      # The monitor comes first, otherwise it would begin to replace the others.
      def chosen(target)
        case @whom
        when :monitor then [target.monitor]
        when :tree then target.server.family
        else [target.pick(@whom, @share)].compact
        end
      end
    end
  end
end
