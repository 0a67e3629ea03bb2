# frozen_string_literal: true

# Runs in the monitor.

module Coppice
  class Monitor
    # What decisions answer: one step each, as a value. Actions carries them out.
    module Steps
      # Boot the application in a fresh process.
      ColdBoot = Struct.new(:generation)
      # Have a worker fork a mold. grounds: fields of the log line.
      Promote = Struct.new(:worker, :generation, :grounds)
      # Have a mold fork a child. trial: it decides about the candidate that forks it.
      Spawn = Struct.new(:mold, :role, :nr, :trial)
      # The candidate becomes the mold.
      Commit = Struct.new(:candidate)
      # Change the number of workers wanted. grounds: fields of the log line.
      Resize = Struct.new(:workers, :grounds)
      # The candidate is given up; the mold, if there is one, stays. at_once: the next one is asked for without a pause.
      Abandon = Struct.new(:candidate, :reason, :at_once)
      # Have a cold mold fork a worker that nobody can reach, to be warmed up and promoted.
      Rehearse = Struct.new(:mold, :nr)
      # Boot the application once more, with a garbage collector that fits what the rehearsal has measured.
      Refit = Struct.new(:worker)
      # Have a fresh fork take a worker's place. grounds: fields of the log line.
      Recycle = Struct.new(:worker, :grounds)
      # Tell people what they should see to: a line in the log with its fields.
      Warn = Struct.new(:message, :fields)
      # Ask a child to leave once its work in hand is done. signal: the one that it got, if that is why.
      Retire = Struct.new(:handle, :signal)
      # No more clients: those who wait in a queue stay there.
      RefuseClients = Class.new
      # Ask a worker to leave once nobody waits any more.
      Drain = Struct.new(:handle)
      # Make a child leave: it is overdue.
      End = Struct.new(:handle, :reason)
      # Stop the server, with a reason for the log and exit status 1.
      GiveUp = Struct.new(:reason)
    end
  end
end
