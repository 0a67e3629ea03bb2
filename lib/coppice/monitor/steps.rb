# frozen_string_literal: true

module Coppice
  class Monitor
    # What decisions answer: one step each, as a value. Actions carries them out.
    module Steps
      # Boot the application in a fresh process.
      ColdBoot = Struct.new(:generation)
      # Have a worker fork a mold. grounds: fields of the log line.
      Promote = Struct.new(:worker, :generation, :grounds)
      # Have a mold fork a child. trial: the candidate that forks it is committed when this child is ready.
      Spawn = Struct.new(:mold, :role, :nr, :trial)
      # The candidate becomes the mold. rehearse: its first worker is rehearsed before any other is forked.
      Commit = Struct.new(:candidate, :rehearse)
      # Change the number of workers wanted. grounds: fields of the log line.
      Resize = Struct.new(:target, :grounds)
      # Give the candidate up; the mold, if there is one, stays. at_once: ask for the next candidate without a pause.
      Abandon = Struct.new(:candidate, :reason, :at_once)
      # Have a cold mold fork a worker that gets no clients, to be rehearsed and promoted.
      Rehearse = Struct.new(:mold, :nr)
      # Boot the application again, with garbage collector parameters that fit what the rehearsal has measured.
      Refit = Struct.new(:worker)
      # Have a fresh fork replace a worker. grounds: fields of the log line.
      Recycle = Struct.new(:worker, :grounds)
      # Log a warning with these fields.
      Warn = Struct.new(:message, :fields)
      # Tell a child to exit once its work in hand is done. signal: the one that it got, if that is why.
      Retire = Struct.new(:handle, :signal)
      # Accept no more connections. Clients in a queue stay there.
      RefuseNewConnections = Class.new
      # Tell a worker to serve the clients in its queues, then exit.
      Drain = Struct.new(:handle)
      # Kill a child, which is overdue.
      End = Struct.new(:handle, :reason)
      # Stop the server with exit status 1. The reason is for the log.
      GiveUp = Struct.new(:reason)
    end
  end
end
