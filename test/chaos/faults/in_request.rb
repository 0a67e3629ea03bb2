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

      # Each worker reports the request before the application does anything. The lobby may give it to a second one.
      #: (Target) -> bool
      def inject(target)
        id = target.client.provoke(@verb, @action)
        target.provoked << [id, self]
        note_victims(target, id)
      end

      # Whether there are any. On a busy machine the second one may report after the client has given up.
      #: (Target, untyped) -> bool
      def note_victims(target, id)
        pids = target.server.served.text.scan(/^#{id} (\d+)$/)
        pids.each { |(pid)| target.victims.add(pid.to_i, @action, self, spent: true) }
        pids.any?
      end
    end
  end
end
