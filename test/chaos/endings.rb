# frozen_string_literal: true

module Chaos
  # How a life ends: by a stop with something in its way, or with the loss of the monitor itself.
  module Endings
    # name; the signal to the monitor; what is done before, and what after it.
    Ending = Struct.new(:name, :signal, :before, :after, keyword_init: true) do
      def to_s = name

      # Whether those that serve may finish.
      #: () -> bool
      def graceful? = signal != :INT

      #: () -> bool
      def monitor_lost? = signal == :KILL

      #: (Field) -> void
      def inject(field)
        before&.call(field, self)
        field.signal(signal, field.monitor)
        after&.call(field, self)
      end

      # In the exit hook of one worker.
      def self.in_hook(action)
        lambda do |field, ending|
          field.server.orders.place(:before_worker_exit, action)
          taker = field.wait(Field::TAKE_UP) { field.server.orders.taker(:before_worker_exit) }
          field.victims.add(taker, action, ending, spent: true) if taker
        end
      end

      def self.signalled(role, name, outcome)
        lambda do |field, ending|
          pid = field.someone(role, 0.5)
          field.hit(name, pid, outcome, ending) if pid
        end
      end
    end

    ALL = [
      Ending.new(name: "the monitor is killed", signal: :KILL),
      Ending.new(name: "TERM", signal: :TERM),
      Ending.new(name: "QUIT while a worker hangs in its exit hook", signal: :QUIT, after: Ending.in_hook(:hang)),
      Ending.new(name: "TERM, and a worker crashes in its exit hook", signal: :TERM, after: Ending.in_hook(:crash)),
      Ending.new(name: "TERM while a worker is stopped for good", signal: :TERM, before: Ending.signalled(:worker, :STOP, :stop)),
      Ending.new(name: "TERM while the mold is stopped for good", signal: :TERM, before: Ending.signalled(:mold, :STOP, :stop)),
      Ending.new(name: "QUIT, and the mold is killed", signal: :QUIT, after: Ending.signalled(:mold, :KILL, :kill)),
      Ending.new(name: "TERM, and a worker is killed", signal: :TERM, after: Ending.signalled(:worker, :KILL, :kill)),
      Ending.new(name: "INT", signal: :INT)
    ].freeze
  end
end
