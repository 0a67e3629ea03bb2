# frozen_string_literal: true

require "coppice/errors"
require "coppice/fork_safety/stray_copy"
require "coppice/guest"
require "coppice/mold"
require "coppice/roles"
require "coppice/service"
require "coppice/worker"

module Coppice
  # The loop at the bottom of the main thread's stack in each child of the monitor. It runs the Mold, Worker, Service or
  # Guest of this process. It is the only file that knows both mold and worker.
  #
  # A worker is forked deep inside a mold's loop, the next mold deep inside that worker's loop, and so on. If the stack
  # were kept, each generation would have less of it. So a new process *throws* its own Mold, Worker, Service or Guest
  # down to this loop, which runs it on a clean stack. A new thread would not do, because native gems need the thread
  # that called fork(2). A fiber would not do either, because its stack is small.
  module Child
    # Runs the given Mold, Worker, Service or Guest, and exits from the loop when it returns. In a process forked
    # meanwhile, the loop goes on with what that process has thrown. The cold mold calls this; the processes forked from
    # it are inside this call already.
    #: (Mold | Worker | Service | Guest) -> void
    def self.run(child)
      while child
        current = child
        child = catch(:coppice_forked_child) do
          current.run
          nil
        end
      end
    rescue UserCodeError => error # from a user's hook: this process cannot go on, the others can
      raise if current.is_a?(Guest) # its program's: `at_exit` handlers see it, then it is shown

      current.log.exception("#{current.membership.name} failed", error)
      current.membership.report_failure(error)
      exit(1)
    end

    # The last call in a process that was just forked: unwinds the parent's stack, and runs the class of the new role
    # with the descriptors that came with the Spawn message. The frames in between must have no `ensure`, which would
    # run here too.
    #: (inheritance: Child::Inheritance, membership: Child::Membership, **(IO | Array[IO])) -> bot
    def self.run_on_clean_stack(inheritance:, membership:, **descriptors)
      ForkSafety::StrayCopy.adopt
      role = Roles.fetch(membership.role)
      lead_group(role, inheritance.settings)
      role_class = Coppice.const_get(role.class_name)
      throw(:coppice_forked_child, role_class.new(inheritance: inheritance, membership: membership, **descriptors))
    end

    def self.lead_group(role, settings)
      return Process.setsid if role.own_session

      Process.setpgrp if settings.setpgid || role.own_group
    end
    private_class_method :lead_group
  end
end
