# frozen_string_literal: true

module Chaos
  # A fault that a process of the server causes in itself.
  module SelfFault
    ACTIONS = {
      kill: -> { Process.kill(:KILL, Process.pid) },
      crash: -> { Process.kill(:SEGV, Process.pid) },
      stop: -> { Process.kill(:STOP, Process.pid) },
      leave: -> { exit!(3) },
      become: -> { exec("sleep", "0.3") },
      hang: -> { loop { sleep } },
      cling: -> { cling }, # survives the soft timeout as well
      no_process: -> { raise Errno::EAGAIN },
      no_memory: -> { raise Errno::ENOMEM }
    }.freeze

    #: (Symbol) -> void
    def self.commit(action) = ACTIONS.fetch(action).call

    def self.cling
      loop { sleep }
    rescue SystemExit
      retry
    end
    private_class_method :cling
  end
end
