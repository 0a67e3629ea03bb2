# frozen_string_literal: true

module Chaos
  module Faults
    # Stopped for a while, as by a debugger, a snapshot of the machine or a cgroup's freezer: one process, the monitor,
    # or the whole tree.
    class Frozen
      #: (Random) -> Frozen
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

      #: (Field) -> bool
      def inject(field)
        pids = frozen(field)
        (pids - [field.monitor]).each { |pid| field.victims.add(pid, :freeze, self) }
        stopped = pids.select { |pid| field.signal(:STOP, pid) }
        field.pause(@seconds)
        stopped.reverse_each { |pid| field.signal(:CONT, pid) }
        stopped.any?
      end

      private

      # The monitor first, or it would begin to replace the others.
      def frozen(field)
        case @whom
        when :monitor then [field.monitor]
        when :tree then field.server.family
        else [field.someone(@whom, @share)].compact
        end
      end
    end
  end
end
