# frozen_string_literal: true

require "coppice/fork_safety/stray_copy"
require "coppice/mold"
require "coppice/service"
require "coppice/worker"

module Coppice
  # The trampoline on which every child of the monitor lives, at the bottom of the
  # main thread's stack: where one process's life ends and its child's begins. The
  # only file that knows both mold and worker.
  #
  # A worker is forked deep inside a mold's loop, the next mold deep inside that
  # worker's, and so on for ever: were the stack kept, each generation would have
  # less of it. So the new process *throws* its next life down to this loop, which
  # starts it on a clean stack. Not a new thread and not a fiber: native gems need
  # the thread that called fork(2), and a fiber's stack is small.
  module Child
    # One life after another, until one returns. Runs in the cold mold and, by
    # inheritance, in each process forked from it.
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

    # Called in a freshly forked process, last of all: leaves the parent's stack
    # behind. The frames in between must have no `ensure`, which would run here too.
    #: (inheritance: Inheritance, membership: Membership, ?listeners: Array[IO], ?first_request: bool) -> bot
    def self.begin(inheritance:, membership:, listeners: [], first_request: false)
      ForkSafety::StrayCopy.adopt
      Process.setpgrp if inheritance.settings.setpgid
      life = case membership.role
             when :mold then Mold.new(inheritance: inheritance, membership: membership)
             when :worker
               Worker.new(inheritance: inheritance, membership: membership, listeners: listeners, first_request: first_request)
             when :service then Service.new(inheritance: inheritance, membership: membership)
             else raise Bug, "no life for a #{membership.role}"
             end
      throw(:coppice_next_life, life)
    end
  end
end
