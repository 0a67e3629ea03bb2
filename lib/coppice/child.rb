# frozen_string_literal: true

require "coppice/fork_safety/stray_copy"
require "coppice/mold"
require "coppice/roles"
require "coppice/service"
require "coppice/worker"

module Coppice
  # The trampoline on which each child of the monitor lives, at the bottom of the main thread's stack: where the life of
  # one process ends and that of its child begins. The only file that knows both mold and worker.
  #
  # A worker is forked deep inside a mold's loop, the next mold deep inside that worker's loop, and so on: if the stack
  # were kept, each generation would have less of it. So the new process *throws* its next life down to this loop, which
  # starts it on a clean stack. Not on a new thread and not on a fiber: native gems need the thread that called fork(2),
  # and a fiber's stack is small.
  module Child
    # One life after another, until one returns. Runs in the cold mold and, by inheritance, in each process forked from
    # it.
    #: (Mold | Worker | Service) -> void
    def self.live(life)
      while life
        current = life
        life = catch(:coppice_next_life) do
          current.run
          nil
        end
      end
    rescue StandardError, ScriptError => error # from a user's hook: this process cannot go on, the others can
      current.log.exception("#{current.membership.name} failed", error)
      exit(1)
    end

    # Called last in a process that was just forked: leaves the parent's stack behind. The frames in between must have
    # no `ensure`, which would run here too. The descriptors that came with the Spawn message go to the class of this
    # role.
    #: (inheritance: Inheritance, membership: Membership, **(IO | Array[IO])) -> bot
    def self.begin(inheritance:, membership:, **descriptors)
      ForkSafety::StrayCopy.adopt
      Process.setpgrp if inheritance.settings.setpgid
      life = Coppice.const_get(Roles.fetch(membership.role).life)
      throw(:coppice_next_life, life.new(inheritance: inheritance, membership: membership, **descriptors))
    end
  end
end
