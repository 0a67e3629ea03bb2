# frozen_string_literal: true

module Chaos
  # How a server's life ends: by a stop with a fault during it, or by the death of the monitor itself.
  module Endings
    # name; signal to the monitor; faults before and after the signal; what one worker does in its exit hook.
    Ending = Struct.new(:name, :signal, :before, :after, :in_hook, keyword_init: true) do
      def to_s = name

      # Whether workers may finish their requests.
      #: () -> bool
      def graceful? = signal != :INT

      #: () -> bool
      def monitor_lost? = signal == :KILL

      #: (Target) -> void
      def inject(target)
        before&.call(target, self)
        in_hook ? signal_with_order(target) : target.signal(signal, target.monitor)
        after&.call(target, self)
      end

      # No worker may claim the order later, when it is not noted any more.
      def signal_with_order(target)
        pid = target.order(:before_worker_exit, in_hook) { target.signal(signal, target.monitor) }
        target.victims.add(pid, in_hook, self, spent: true) if pid
      end

      # A stopped one was not noticed, and would not notice the end of the monitor.
      def self.continue_kept_mold
        lambda do |target, _ending|
          pid = target.server.kept_mold&.pid
          target.signal(:CONT, pid) if pid
        end
      end

      def self.signalled(role, name, outcome)
        lambda do |target, ending|
          pid = target.pick(role, 0.5)
          target.hit(name, pid, outcome, ending) if pid
        end
      end
    end

    ALL = [
      Ending.new(name: "the monitor is killed", signal: :KILL, before: Ending.continue_kept_mold),
      Ending.new(name: "TERM", signal: :TERM),
      Ending.new(name: "QUIT while a worker hangs in its exit hook", signal: :QUIT, in_hook: :hang),
      Ending.new(name: "TERM, and a worker crashes in its exit hook", signal: :TERM, in_hook: :crash),
      Ending.new(name: "TERM while a worker is stopped for good", signal: :TERM,
        before: Ending.signalled(:worker, :STOP, :stop)),
      Ending.new(name: "TERM while the mold is stopped for good", signal: :TERM,
        before: Ending.signalled(:mold, :STOP, :stop)),
      Ending.new(name: "QUIT, and the mold is killed", signal: :QUIT, after: Ending.signalled(:mold, :KILL, :kill)),
      Ending.new(name: "TERM, and a worker is killed", signal: :TERM, after: Ending.signalled(:worker, :KILL, :kill)),
      Ending.new(name: "INT", signal: :INT)
    ].freeze
  end
end
