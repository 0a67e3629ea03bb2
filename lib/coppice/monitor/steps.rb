# frozen_string_literal: true

module Coppice
  class Monitor
    # What a decision returns: a list of steps, each a plain value. Actions carries them out.
    module Steps
      # Boot the application in a fresh process. release: another one than the running one; nil for that.
      ColdBoot = Struct.new(:generation, :release)
      # Have a worker fork a mold. reason_fields: why, as fields of the log line. temporary: the mold forks what is
      # missing, and exits.
      Promote = Struct.new(:worker, :generation, :reason_fields, :temporary)
      # Have a mold fork a worker. trial: the candidate that forks it is committed when the worker is ready. purpose: as
      # of Control::Messages::Spawn.
      SpawnWorker = Struct.new(:mold, :nr, :trial, :purpose)
      # Have the mold fork a service. service: a Config::ServiceDefinition.
      SpawnService = Struct.new(:mold, :service)
      # The candidate becomes the mold. rehearse: its first worker is rehearsed before any other is forked. verdict: of
      # the canary, if there was one.
      Commit = Struct.new(:candidate, :rehearse, :verdict)
      # Have the kept mold of the release before fork all workers from now on.
      Reinstate = Struct.new(:mold)
      # Let the kept mold of the release before exit.
      EndKept = Struct.new(:reason)
      # Give up the roll that is under way. wanted: as in Abandon. message: of the exception, if one is why: for its
      # user and the log alone, as it may tell a secret.
      GiveUpRoll = Struct.new(:reason, :wanted, :message)
      # Have so many workers less than wanted, to make room for the boot of another release.
      HoldBack = Struct.new(:workers)
      # Change the number of workers wanted. reason_fields: why, as fields of the log line.
      Resize = Struct.new(:target, :reason_fields)
      # Give up the candidate; the mold, if there is one, stays. at_once: make the next candidate without a pause.
      # refused: the fork audit is the reason. verdict: the canary's, if that is the reason. wanted: by a user, so that
      # nothing has failed.
      Abandon = Struct.new(:candidate, :reason, :at_once, :refused, :verdict, :wanted, keyword_init: true)
      # Do without the refork that a user wants. The reason is for the user and the log.
      GiveUpRefork = Struct.new(:reason)
      # Have a cold mold fork a worker that gets no clients, to be rehearsed and promoted.
      Rehearse = Struct.new(:mold, :nr)
      # Boot the application again, with garbage collector parameters that fit what the rehearsal has measured.
      BootWithMeasuredGC = Class.new
      # Have a process measure its memory.
      Measure = Struct.new(:handle)
      # Keep what this worker has measured, for the next boot.
      KeepMeasurement = Struct.new(:worker)
      # Keep what was learned of the paths that clients request.
      KeepPaths = Class.new
      # Have a fresh fork replace a worker or a service. reason_fields: why, as fields of the log line.
      Recycle = Struct.new(:handle, :reason_fields)
      # Spawn the observer.
      Observe = Class.new
      # Spawn the lobby.
      SpawnLobby = Class.new
      # Give a worker a seat at the present lobby: it had one at a lobby that was lost.
      Reseat = Struct.new(:worker)
      # Send the lobby these packets, and all that were queued before them.
      TellLobby = Struct.new(:lobby, :packets)
      # Log a warning with these fields.
      Warn = Struct.new(:message, :fields)
      # Tell a child to exit once its work in hand is done. signal: the one that the child got, if that is the reason.
      Retire = Struct.new(:handle, :signal)
      # Have the mold fork a child for an errand that somebody has asked for.
      SpawnErrand = Struct.new(:mold, :errand)
      # Send a child the signals that were kept for it.
      SendKeptSignals = Struct.new(:handle)
      # Send HUP to a child's process group, and KILL after so many seconds.
      HangUp = Struct.new(:handle, :reason, :seconds)
      # Accept no more connections, and count those that are being made. Clients that are in a queue stay there.
      RefuseNewConnections = Class.new
      # Tell a worker to serve the clients in its queues, then exit.
      Drain = Struct.new(:handle)
      # Kill an overdue child: first with the signal that the user chose, a second later with KILL.
      Kill = Struct.new(:handle, :reason)
      # Kill the :loop of a lobby or its :keeper, which hangs. The other one makes it again.
      KillLobbyPart = Struct.new(:lobby, :part)
      # Stop the server with exit status 1. The reason is for the log.
      GiveUp = Struct.new(:reason)
    end
  end
end
