# frozen_string_literal: true

module Chaos
  # How a server's life ends: by a stop with a fault during it, or by the death of the monitor itself.
  module Endings
    # name; signal to the monitor; faults before and after the signal.
    Ending = Struct.new(:name, :signal, :before, :after, keyword_init: true) do
      def to_s = name

      # Whether workers may finish their requests.
      #: () -> bool
      def graceful? = signal != :INT

      #: () -> bool
      def monitor_lost? = signal == :KILL

      #: (Target) -> void
      def inject(target)
        before&.call(target, self)
        target.signal(signal, target.monitor)
        after&.call(target, self)
      end

      # A fault in the exit hook of one worker.
      def self.in_hook(action)
        lambda do |target, ending|
          target.server.orders.place(:before_worker_exit, action)
          pid = target.wait(Target::CLAIM_TIMEOUT) { target.server.orders.claimed_by(:before_worker_exit) }
          target.victims.add(pid, action, ending, spent: true) if pid
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
      Ending.new(name: "the monitor is killed", signal: :KILL),
      Ending.new(name: "TERM", signal: :TERM),
      Ending.new(name: "QUIT while a worker hangs in its exit hook", signal: :QUIT, after: Ending.in_hook(:hang)),
      Ending.new(name: "TERM, and a worker crashes in its exit hook", signal: :TERM, after: Ending.in_hook(:crash)),
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
