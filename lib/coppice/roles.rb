# frozen_string_literal: true

require "coppice/errors"

module Coppice
  # What a child of the monitor can be: one row for each role. The board, the title in ps, the process itself and the
  # monitor's notion of it follow from the row.
  module Roles
    # name: on the board, in messages and in the log. title: in ps, after the word "coppice".
    # life: the class of Coppice that the process lives as; its name only, since the monitor loads none of them.
    # hooks: which hook of the configuration the process calls on which occasion: when it begins (:fork), right before
    # it is ready (:ready), before it exits (:exit).
    # counts: whether it has a slot and counts as one of the workers.
    # ends: what the monitor tells it when the server stops: :drain, to serve the clients in the queues first, or :stop.
    Role = Struct.new(:name, :title, :life, :hooks, :counts, :ends, keyword_init: true)

    TABLE = [
      Role.new(name: :worker, title: "worker", life: :Worker, counts: true, ends: :drain,
               hooks: { fork: :after_worker_fork, ready: :after_worker_ready, exit: :before_worker_exit }.freeze),
      Role.new(name: :mold, title: "mold", life: :Mold, counts: false, ends: :stop,
               hooks: { fork: :after_mold_fork }.freeze),
      Role.new(name: :service, title: "service", life: :Service, counts: false, ends: :stop,
               hooks: { ready: :before_service_worker_ready, exit: :before_service_worker_exit }.freeze)
    ].each(&:freeze).freeze

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
