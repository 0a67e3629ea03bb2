# frozen_string_literal: true

module Chaos
  module Faults
    # A fault that a worker causes in itself during a request: in the application, or in the middle of its response.
    class InRequest
      #: (Random) -> InRequest
      def self.draw(random)
        verb = %w[fault cut].sample(random: random)
        new(verb, %i[kill kill kill crash crash leave leave stop hang cling].sample(random: random))
      end

      #: (String, Symbol) -> void
      def initialize(verb, action)
        @verb = verb
        @action = action
      end

      #: () -> String
      def to_s = "#{@action} in the #{@verb == 'cut' ? 'response' : 'application'}"

      # The worker reports the request before the application does anything.
      #: (Target) -> bool
      def inject(target)
        id = target.client.provoke(@verb, @action)
        pid = target.server.served.text[/^#{id} (\d+)$/, 1]
        target.victims.add(pid.to_i, @action, self, spent: true) if pid
        !pid.nil?
      end
    end
  end
end
