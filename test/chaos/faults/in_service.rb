# frozen_string_literal: true

module Chaos
  module Faults
    # A fault that a service with a name causes in its block: it dies, its block fails, or it becomes another program,
    # which ends.
    class InService
      LASTING = "lasting" # survives reforks
      NAMES = [LASTING, "renewed"].freeze
      ACTIONS = %i[kill crash leave become become no_memory].freeze
      private_constant :ACTIONS

      #: (Random) -> InService
      def self.draw(random)
        new(NAMES.sample(random: random), ACTIONS.sample(random: random))
      end

      #: (String, Symbol) -> void
      def initialize(name, action)
        @name = name
        @action = action
      end

      #: () -> String
      def to_s = "#{@action} in the service #{@name}"

      # Hits nothing while there is no such service.
      #: (Target) -> bool
      def inject(target)
        point = :"service_#{@name}"
        pid = target.order(point, @action) { nil }
        target.victims.add(pid, @action == :no_memory ? :raise : @action, self) if pid
        target.server.orders.clear(point)
        !pid.nil?
      end
    end
  end
end
