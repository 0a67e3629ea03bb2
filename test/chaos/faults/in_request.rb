# frozen_string_literal: true

module Chaos
  module Faults
    # Something that a worker does to itself in the middle of a request: in the application, or in the middle of its answer.
    class InRequest
      #: (Random) -> InRequest
      def self.draw(random)
        new(%w[fault cut].sample(random: random), %i[kill kill kill crash crash leave leave stop hang cling].sample(random: random))
      end

      #: (String, Symbol) -> void
      def initialize(verb, action)
        @verb = verb
        @action = action
      end

      #: () -> String
      def to_s = "#{@action} in the #{@verb == 'cut' ? 'answer' : 'application'}"

      # Whoever took it wrote so before the application did anything.
      #: (Field) -> bool
      def inject(field)
        id = field.client.provoke(@verb, @action)
        pid = field.server.served.text[/^#{id} (\d+)$/, 1]
        field.victims.add(pid.to_i, @action, self, spent: true) if pid
        !pid.nil?
      end
    end
  end
end
