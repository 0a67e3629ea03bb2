# frozen_string_literal: true

module Coppice
  module Control
    # The version of the messages below. The first message carries it, so that a mold of another release is refused, not
    # misunderstood.
    PROTOCOL = 5

    # Every message, once: the monitor sends imperatives, its children send facts in the past. A message carries plain
    # values; the descriptors that travel beside it have names.
    module Messages
      TABLE = {
        # To a cold mold, first. Descriptors: board, settings (a MemoryFile).
        Boot: [:protocol, :generation, :row, :listener_names, :borrowed_queues],
        # To a mold: fork a worker or a service worker. To a worker: fork a mold. purpose: :rehearsal for a worker that
        # gets no clients, else nil. first_request: whether a worker makes a request to itself before it is ready.
        # Descriptors: channel (the child's end), listeners (an Array: those that a worker accepts from).
        Spawn: [:role, :purpose, :nr, :generation, :row, :first_request],
        # To any child: exit when the work in hand is done.
        Stop: [],
        # To a worker: no more clients can come; serve those in the queues, then exit.
        Drain: [],

        # About a child, from the process that forked it.
        Forked: [:pid],
        # From the child, on a clean stack and with the monitor as its parent.
        Registered: [:pid],
        # From the child: a worker serves, a mold can fork.
        Ready: [],
        # From the child: it got TERM or QUIT, and goes on.
        SignalReceived: [:name],
        # From a worker: it has served as many requests as its generation should.
        RequestLimitReached: [:requests]
      }.freeze

      TABLE.each do |name, members|
        message = members.empty? ? Class.new { def to_a = [] } : Struct.new(*members, keyword_init: true)
        const_set(name, message)
      end
    end
  end
end
