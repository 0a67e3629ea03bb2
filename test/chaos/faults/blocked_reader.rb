# frozen_string_literal: true

module Chaos
  module Faults
    # A reader does not read for a while. The log is not read, while crashes write long reports to it. Or the monitor is
    # stopped, while a worker sends more messages than its channel holds. Or a worker is stopped, while the monitor
    # sends it message after message.
    class BlockedReader
      #: (Random) -> BlockedReader
      def self.draw(random)
        new(%i[log monitor worker].sample(random: random), random.rand(0.2..1.0).round(2), random.rand)
      end

      #: (Symbol, Float, Float) -> void
      def initialize(whom, seconds, share)
        @whom = whom
        @seconds = seconds
        @share = share
      end

      #: () -> String
      def to_s = @whom == :log ? "an unread log" : "a full channel to the #{@whom}"

      #: (Target) -> bool
      def inject(target)
        case @whom
        when :log then block_log(target)
        when :monitor then block_monitor(target)
        else block_worker(target)
        end
        true
      end

      private

      def block_log(target)
        target.server.output.unread do
          [:SEGV, :KILL].zip([@share, 1 - @share]) do |name, share|
            pid = target.pick(:worker, share)
            target.hit(name, pid, Signalled::OUTCOMES.fetch(name), self) if pid
          end
          target.pause(@seconds)
        end
      end

      def block_monitor(target)
        target.signal(:STOP, target.monitor)
        target.client.ask("chatter")
        target.pause(@seconds)
      ensure
        target.signal(:CONT, target.monitor)
      end

      def block_worker(target)
        pid = target.pick(:worker, @share) or return
        target.victims.add(pid, :freeze, self)
        target.signal(:STOP, pid)
        10.times { target.signal(:USR2, target.monitor); target.pause(@seconds / 10) }
      ensure
        target.signal(:CONT, pid) if pid
      end
    end
  end
end
