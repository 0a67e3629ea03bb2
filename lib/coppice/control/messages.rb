# frozen_string_literal: true

module Coppice
  module Control
    # The version of the messages below. The first message carries it, so that a mold of another release is refused, not
    # misunderstood.
    PROTOCOL = 16

    # Every message, once: the monitor sends imperatives, its children send facts in the past. A message carries plain
    # values; the descriptors that travel beside it have names.
    module Messages
      TABLE = {
        # To a cold mold, first. listener_options: see Child::Inheritance. Descriptors: board, settings (a MemoryFile).
        Boot: [:protocol, :generation, :row, :listener_names, :listener_options],
        # To the observer, first. hook: whether the configuration has on_stats. Descriptors: board,
        # settings, listeners (an Array).
        Observe: [:protocol, :hook],
        # To a mold: fork a worker, a service or a guest. To a worker: fork a mold. purpose: :rehearsal for a worker
        # that gets no clients, :warmed_trial for one that serves the warm-up requests before it gets any, :temporary
        # for a mold that only forks what is missing, else nil. first_request: whether a worker reconnects, and makes a
        # request to itself, before it is ready. seat: number of a worker's seat at the lobby, nil without a lobby.
        # service: name of a service, nil for the service worker. Descriptors: channel (the child's end); of a worker
        # listeners (an Array: those that it accepts from), lobby (as of TakeSeat, with a seat) and inspection (its end
        # of the socket for ShowThreads); of a guest stdin, stdout, stderr and request (see GuestRequest).
        Spawn: [:role, :purpose, :nr, :generation, :row, :first_request, :seat, :service],
        # To a worker: the lobby was lost; this is its seat at the next one. Descriptors: lobby (an Array: the files of
        # requests, queue and answer ring, the worker's eventfd and the lobby's, the worker's end of the seat's socket).
        TakeSeat: [:seat],
        # To any child but a service that is ready, which gets TERM: exit when the work in hand is done.
        Stop: [],
        # To a worker: no more clients can come; serve those in the queues, then exit.
        Drain: [],
        # To a mold, a worker or a service: measure the memory of this process.
        Measure: [],
        # To any child: write the backtraces of all threads. On a worker's inspection socket, so that a busy one answers
        # too. Descriptors: output (where to).
        ShowThreads: [],
        # To any child: open log files anew. Descriptors: those of standard_output and standard_error that were opened
        # anew. replaces: device and inode of what each of them was, by the same name.
        ReopenLogs: [:replaces],

        # About a child, from the process that forked it.
        Forked: [:pid],
        # From the child, on a clean stack and with the monitor as its parent.
        Registered: [:pid],
        # From the first worker of a mold, before it is ready: what the fork audit has found, as the values of each
        # ForkSafety::Finding.
        AuditFinished: [:findings],
        # From the child: a worker serves, a mold can fork.
        Ready: [],
        # From the child: it got TERM or QUIT, and goes on.
        SignalReceived: [:name],
        # From any child that fails, before it exits: the exception's class and place, and its message, a line each.
        Failed: [:error, :message],
        # From a worker: it has served as many requests as its generation should.
        RequestLimitReached: [:requests],
        # From a worker: this request has made it unsafe to fork, by what it names.
        BecameUnsafe: [:request, :why],
        # From a worker: how often clients have requested each path since the last such message; see Worker::PathCounter.
        PathsCounted: [:counts]
      }.freeze

      TABLE.each do |name, members|
        message = members.empty? ? Class.new { def to_a = [] } : Struct.new(*members, keyword_init: true)
        const_set(name, message)
      end
    end
  end
end
