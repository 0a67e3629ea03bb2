# frozen_string_literal: true

module Chaos
  module Faults
    # Somebody is lost while a promotion is held up at one of its steps: the candidate is not ready yet; or it is, its
    # first worker is about to be, and the old mold has not left.
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

      #: (Field) -> bool
      def inject(field)
        point = STEPS.fetch(@step)
        holder = field.order(point, :hold) { field.signal(:USR2, field.monitor) } or return false

        pid = chosen(field, holder)
        !pid.nil? && field.hit(@name, pid, Signalled::OUTCOMES.fetch(@name), self)
      ensure
        field.server.orders.clear(point)
      end

      private

      def chosen(field, holder)
        molds = field.server.rows(:mold).sort_by(&:generation).map(&:pid)
        case @whom
        when :old_mold then molds.first
        when :candidate then molds.drop(1).last
        when :holder then holder
        else field.someone(:worker, @share)
        end
      end
    end
  end
end
