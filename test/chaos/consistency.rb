# frozen_string_literal: true

require_relative "faults"

module Chaos
  # Compares the processes and descriptors of the server as the kernel sees them with what the board says.
  class Consistency
    TURNS = 5
    ALL_SERVICES = ["", *Faults::InService::NAMES].freeze # the service worker has no name

    #: (Server) -> void
    def initialize(server)
      @server = server
    end

    # Remembers the number of the monitor's descriptors, without those for its children. In one turn of its loop the
    # monitor may be reading a file.
    #: () -> void
    def remember_descriptors
      @descriptors = Array.new(TURNS) { @server.await_turn && own_descriptors }.min
    end

    # Whether all services run: they are forked after the workers.
    #: () -> bool
    def services_ready? = services(@server.board.rows) == ALL_SERVICES

    # The first inconsistency of a server at rest, in words; nil if there is none.
    #: () -> String?
    def problem
      rows = @server.board.rows
      children = @server.children(@server.pid)
      parts = @server.parts_of_lobby
      count = @server.board.workers_count
      return "lobby: #{parts}" unless parts.size == (@server.lobby? ? 2 : 0)

      children -= [parts[Server::KEEPER]] # the loop is on the board
      return "slots #{slots(rows)} of #{count}" unless slots(rows) == (0...count).to_a
      return "release: #{@server.release}" if Releases::BROKEN.include?(@server.release)
      return "molds: #{molds(rows)}" unless molds(rows) == [true]
      return "services: #{services(rows)}" unless services_ready?
      return "generations: #{generations(rows)}" unless generations(rows) == [@server.board.generation]
      return "releases: #{releases(rows)}" unless releases(rows) == [@server.board.release_number]

      pids = rows.map(&:pid).sort
      return "on the board #{pids}, children #{children.sort}" unless pids == children.sort

      inactive = children.select { |pid| ["Z", "T", nil].include?(@server.state_of(pid)) } - [stopped_kept_mold]
      return "dead or stopped: #{inactive}" if inactive.any?

      "#{own_descriptors} descriptors, #{@descriptors} before" unless own_descriptors == @descriptors
    end

    private

    # Nobody asks anything of the mold that is kept for a rollback, so nobody notices that it is stopped.
    def stopped_kept_mold
      pid = @server.kept_mold&.pid
      pid if pid && @server.state_of(pid) == "T"
    end

    def slots(rows) = rows.select { |row| row.role_name == :worker && row.ready? }.map(&:nr).sort

    def molds(rows) = without_kept(rows).select { |row| row.role_name == :mold }.map(&:ready?)

    # The mold of the release before may be there for a rollback.
    def without_kept(rows)
      pid = @server.kept_mold&.pid
      rows.reject { |row| row.pid == pid }
    end

    def releases(rows)
      without_kept(rows).select { |row| %i[mold worker].include?(row.role_name) }.map(&:release_number).uniq
    end

    # The names of those that are ready.
    def services(rows)
      rows.select { |row| row.role_name == :service && row.ready? }.map(&:service_name).sort
    end

    # A lost mold's successor keeps the generation, so molds and workers have the same one.
    def generations(rows)
      rows = without_kept(rows).reject { |row| row.role_name == :lobby || row.service_name == Faults::InService::LASTING }
      rows.map(&:generation).uniq
    end

    # Each child has a channel, and a worker an inspection socket as well, and a seat's descriptors with a lobby.
    def own_descriptors
      sockets = @server.children(@server.pid).size + (@server.rows(:worker).size * (@server.lobby? ? 4 : 1))
      Dir.children("/proc/#{@server.pid}/fd").size - sockets
    end
  end
end
