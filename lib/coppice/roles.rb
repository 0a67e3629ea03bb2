# frozen_string_literal: true

require "coppice/errors"

module Coppice
  # The roles of the monitor's children: one row each. The board, the process title, the child process and the monitor's
  # handle take what they need from the row.
  module Roles
    # name           on the board, in messages and in the log
    # plural         of several, in the monitor's lists
    # title          in ps, after the word "coppice"
    # class_name     the class in Coppice that the process runs; only its name, because the monitor does not load it;
    #                nil for a program that is not Ruby
    # hooks          the hook of the configuration that the process calls after the fork (:fork), right before it is
    #                ready (:ready), and before it exits (:exit)
    # slot           whether it has a slot and counts as one of the workers
    # shutdown       the message that it gets when the server stops: :drain, to serve the clients in the queues first,
    #                or :stop; :drain_first, before those that serve its clients; :stop_last, a Stop once all others are
    #                gone; :hang_up, the signal HUP to its process group
    # pause          after what the next one is delayed: :failed_start, or :exit of any kind, where no client waits for
    #                the next one; nil where something else decides, or there is none
    # own_session    whether it leads a session of its own, and signals go to all its processes
    # own_group      whether it leads a process group of its own, whatever the option setpgid says, which is killed when
    #                the process has exited
    # other_program  whether it may become a program that knows nothing of its channel
    # quick_exit     whether the option of this name is for it: a refork may replace it
    # shares         whether it is a fork of the mold, and shares its memory
    # errand         whether it is forked for something that somebody has asked for: its end by itself is none of the
    #                server's, and always of interest
    # supervision    whether the monitor has a side of its own for it, in the folder of the role
    Role = Struct.new(:name, :plural, :title, :class_name, :hooks, :slot, :shutdown, :pause, :own_session, :own_group,
                      :other_program, :quick_exit, :shares, :errand, :supervision, keyword_init: true)

    TABLE = [
      Role.new(name: :worker, plural: :workers, title: "worker", class_name: :Worker, slot: true, shutdown: :drain,
               pause: :failed_start, quick_exit: true, shares: true,
               hooks: { fork: :after_worker_fork, ready: :after_worker_ready, exit: :before_worker_exit }.freeze),
      Role.new(name: :mold, plural: :molds, title: "mold", class_name: :Mold, slot: false, shutdown: :stop,
               quick_exit: true, hooks: { fork: :after_mold_fork }.freeze),
      Role.new(name: :service, plural: :services, title: "service", class_name: :Service, slot: false, shutdown: :stop,
               pause: :exit, own_group: true, other_program: true, quick_exit: true, shares: true,
               hooks: { fork: :after_worker_fork, ready: :before_service_worker_ready,
                        exit: :before_service_worker_exit }.freeze),
      Role.new(name: :observer, plural: :observers, title: "observer", class_name: :Observer, slot: false,
               shutdown: :stop_last, pause: :exit, hooks: {}.freeze),
      Role.new(name: :guest, plural: :guests, title: "guest", class_name: :Guest, slot: false, shutdown: :hang_up,
               own_session: true, other_program: true, shares: true, errand: true, supervision: true,
               hooks: { fork: :after_worker_fork }.freeze),
      # Two processes: its loop, and the keeper that makes the next loop when one is lost.
      Role.new(name: :lobby, plural: :lobbies, title: "lobby", slot: false, shutdown: :drain_first, hooks: {}.freeze)
    ].each(&:freeze).freeze

    MONITOR_TITLE = "coppice monitor" # their parent's, in ps

    FREE = 0 # what a row of the board has in the place of a role's number while no process owns it

    # Raises Bug for a role that the table does not have.
    #: (Symbol) -> Role
    def self.fetch(name) = TABLE.find { |role| role.name == name } || raise(Bug, "no role #{name.inspect}")

    # The number that stands for a role on the board. Raises Bug for a role that the table does not have.
    #: (Symbol) -> Integer
    def self.number(name) = TABLE.index(fetch(name)) + 1

    # The name of the role with this number; :free for a row that no process owns.
    #: (Integer) -> Symbol
    def self.name_of(number) = number == FREE ? :free : TABLE.fetch(number - 1).name
  end
end
