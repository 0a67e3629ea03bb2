# frozen_string_literal: true

module Coppice
  module Control
    # The version of the messages below. The first one carries it, so that a mold
    # of another release is refused and not misunderstood.
    PROTOCOL = 4

    # Every message, once: imperatives come from the monitor, past facts from its
    # children. A message carries plain values; descriptors travel beside it.
    module Messages
      TABLE = {
        # to a cold mold, first: the descriptors of the board and of a MemoryFile with the settings travel with it
        Boot: [:protocol, :generation, :row, :listener_names, :borrowed_queues],
        # to a mold: fork a worker or a service worker; to a worker: fork a mold. The child's channel travels beside it, and
        # a worker's listeners. purpose: :rehearsal for a worker that gets no clients, else nil. first_request: whether a
        # worker makes a request to itself before it is ready
        Spawn: [:role, :purpose, :nr, :generation, :row, :first_request],
        # to any child: leave when the work in hand is done
        Stop: [],
        # to a worker: no more clients can come; serve those who wait, then leave
        Drain: [],

        # about a child, from the process that forked it
        Forked: [:pid],
        # from the child, on a clean stack and with the monitor as its parent
        Registered: [:pid],
        # from the child: a worker serves, a mold can fork
        Ready: [],
        # from the child: it got TERM or QUIT, and goes on
        SignalReceived: [:name],
        # from a worker: it has served as many requests as its generation should
        RequestLimitReached: [:requests]
      }.freeze

      TABLE.each do |name, members|
        message = members.empty? ? Class.new { def to_a = [] } : Struct.new(*members, keyword_init: true)
        const_set(name, message)
      end
    end
  end
end
