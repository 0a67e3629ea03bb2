# frozen_string_literal: true

module Chaos
  module Faults
    # A process is killed while a promotion is held at one of its steps: the candidate is not ready yet, or the
    # candidate is ready, its first worker is about to be ready, and the old mold has not exited.
    class InPromotion
      STEPS = { candidate: :after_mold_fork, trial: :after_worker_ready }.freeze

      #: (Random) -> InPromotion
      def self.draw(random)
        new(STEPS.keys.sample(random: random), %i[old_mold candidate holder worker].sample(random: random),
          %i[KILL KILL SEGV].sample(random: random), random.rand)
      end

      #: (Symbol, Symbol, Symbol, Float) -> void
      def initialize(step, whom, name, share)
        @step = step
        @whom = whom
        @name = name
        @share = share
      end

      #: () -> String
      def to_s = "#{@name} to the #{@whom.to_s.tr('_', ' ')} while the #{@step} is held"

      #: (Target) -> bool
      def inject(target)
        point = STEPS.fetch(@step)
        holder = target.order(point, :hold) { target.signal(:USR2, target.monitor) } or return false

        pid = chosen(target, holder)
        !pid.nil? && target.hit(@name, pid, Signalled::OUTCOMES.fetch(@name), self)
      ensure
        target.server.orders.clear(point)
      end

      private

      def chosen(target, holder)
        molds = target.server.rows(:mold).sort_by(&:generation).map(&:pid)
        case @whom
        when :old_mold then molds.first
        when :candidate then molds.drop(1).last
        when :holder then holder
        else target.pick(:worker, @share)
        end
      end
    end
  end
end
