# frozen_string_literal: true

module Chaos
  module Faults
    # Nobody takes what is written: a log that nobody reads, while crashes write long reports to it; a monitor that does not
    # hear, while a worker says more than its channel holds; a worker that does not hear, while the monitor asks and asks.
    class Unheard
      #: (Random) -> Unheard
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
      def to_s = @whom == :log ? "a log that nobody reads" : "a full channel to the #{@whom}"

      #: (Field) -> bool
      def inject(field)
        case @whom
        when :log then mute_log(field)
        when :monitor then deafen_monitor(field)
        else deafen_worker(field)
        end
        true
      end

      private

      def mute_log(field)
        field.server.output.unread do
          [:SEGV, :KILL].zip([@share, 1 - @share]) do |name, share|
            pid = field.someone(:worker, share)
            field.hit(name, pid, Signalled::OUTCOMES.fetch(name), self) if pid
          end
          field.pause(@seconds)
        end
      end

      def deafen_monitor(field)
        field.signal(:STOP, field.monitor)
        field.client.ask("chatter")
        field.pause(@seconds)
      ensure
        field.signal(:CONT, field.monitor)
      end

      def deafen_worker(field)
        pid = field.someone(:worker, @share) or return
        field.victims.add(pid, :freeze, self)
        field.signal(:STOP, pid)
        10.times { field.signal(:USR2, field.monitor); field.pause(@seconds / 10) }
      ensure
        field.signal(:CONT, pid) if pid
      end
    end
  end
end
