# frozen_string_literal: true

module Chaos
  module Faults
    # A fault that a process causes in itself at a named point: in a hook, or around a fork.
    class AtPoint
      # What makes a process reach the point: a new generation, a worker that is asked to exit, or the load.
      WAYS = {
        before_fork: :replace, first_fork: :replace, second_fork: :replace, middle_born: :replace, child_born: :replace,
        after_worker_fork: :replace, after_worker_ready: :replace, after_mold_fork: :refork,
        before_worker_exit: :refork, before_service_worker_ready: :replace_service,
        before_service_worker_exit: :refork, after_request_complete: :load
      }.freeze
      HARD = %i[kill crash leave hang stop].freeze
      SYSTEM = %i[no_process no_memory].freeze
      # The log reports neither a middle process between a parent and its child, nor a parent whose fork fails.
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

      #: (Target) -> bool
      def inject(target)
        pid = target.order(@point, @action) { trigger(target) }
        target.victims.add(pid, outcome, self, spent: true) if pid && !UNNAMED.include?(@point)
        target.server.orders.clear(@point)
        !pid.nil?
      end

      private

      # An exception of the application's own code is logged, or ends the worker; one before a fork ends nothing.
      def outcome
        return @action unless SYSTEM.include?(@action)

        %i[after_request_complete before_fork].include?(@point) ? :starve : :raise
      end

      def trigger(target)
        case WAYS.fetch(@point)
        when :replace then ask(target, :worker)
        when :replace_service then ask(target, :service) { |row| row.service_name.empty? }
        when :refork then target.signal(:USR2, target.monitor)
        end
      end

      def ask(target, role, &condition)
        pid = target.pick(role, @share, &condition)
        target.hit(:TERM, pid, :ask, self) if pid
      end
    end
  end
end
