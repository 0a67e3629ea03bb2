# frozen_string_literal: true

module Chaos
  module Faults
    # Something that a process does to itself at a named point: in a hook, or around a fork.
    class AtPoint
      # What leads a process there: a new generation, a worker that is asked to leave, or the load that is there anyway.
      WAYS = {
        before_fork: :replace, first_fork: :replace, second_fork: :replace, middle_born: :replace, child_born: :replace,
        after_worker_fork: :replace, after_worker_ready: :replace, after_mold_fork: :refork, before_worker_exit: :refork,
        before_service_worker_ready: :replace_service, before_service_worker_exit: :refork, after_request_complete: :load
      }.freeze
      HARD = %i[kill crash leave hang stop].freeze
      SYSTEM = %i[no_process no_memory].freeze
      # What the process that stands between the forker and its child does is not told by the log.
      UNNAMED = %i[first_fork second_fork middle_born].freeze
      private_constant :WAYS, :HARD, :SYSTEM, :UNNAMED

      #: (Random) -> AtPoint
      def self.draw(random)
        point = WAYS.keys.sample(random: random)
        forks = %i[first_fork second_fork].include?(point)
        new(point, (forks ? SYSTEM : HARD + SYSTEM).sample(random: random), random.rand)
      end

      #: (Symbol, Symbol, Float) -> void
      def initialize(point, action, share)
        @point = point
        @action = action
        @share = share
      end

      #: () -> String
      def to_s = "#{@action} at #{@point}"

      #: (Field) -> bool
      def inject(field)
        taker = field.order(@point, @action) { lead_there(field) }
        field.victims.add(taker, outcome, self, spent: true) if taker && !UNNAMED.include?(@point)
        field.server.orders.clear(@point)
        !taker.nil?
      end

      private

      # A request's hook is the application's own code: what it raises is logged, or ends the worker.
      def outcome
        return @action unless SYSTEM.include?(@action)

        @point == :after_request_complete ? :starve : :raise
      end

      def lead_there(field)
        case WAYS.fetch(@point)
        when :replace then ask(field, :worker)
        when :replace_service then ask(field, :service)
        when :refork then field.signal(:USR2, field.monitor)
        end
      end

      def ask(field, role)
        pid = field.someone(role, @share)
        field.hit(:TERM, pid, :ask, self) if pid
      end
    end
  end
end
