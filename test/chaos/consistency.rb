# frozen_string_literal: true

module Chaos
  # Compares the processes and descriptors of the server as the kernel sees them with what the board says.
  class Consistency
    #: (Server) -> void
    def initialize(server)
      @server = server
    end

    # Remembers the number of the monitor's descriptors, without its children's channels.
    #: () -> void
    def remember_descriptors
      @descriptors = own_descriptors
    end

    # The first inconsistency of a server at rest, in words; nil if there is none.
    #: () -> String?
    def problem
      rows = @server.board.rows
      children = @server.children(@server.pid)
      count = @server.board.workers_count
      return "slots #{slots(rows)} of #{count}" unless slots(rows) == (0...count).to_a
      return "molds: #{one(rows, :mold)}" unless one(rows, :mold) == [true]
      return "service workers: #{one(rows, :service)}" unless one(rows, :service) == [true]
      return "generations: #{generations(rows)}" unless generations(rows) == [@server.board.generation]

      pids = rows.map(&:pid).sort
      return "on the board #{pids}, children #{children.sort}" unless pids == children.sort

      inactive = children.select { |pid| ["Z", "T", nil].include?(state(pid)) }
      return "dead or stopped: #{inactive}" if inactive.any?

      "#{own_descriptors} descriptors, #{@descriptors} before" unless own_descriptors == @descriptors
    end

    # Z for a process that was not reaped, T for a stopped one; nil if it does not exist.
    #: (Integer) -> String?
    def state(pid)
      File.read("/proc/#{pid}/stat").rpartition(")").last.split.first
    rescue Errno::ENOENT, Errno::ESRCH
      nil
    end

    private

    def slots(rows) = rows.select { |row| row.role_name == :worker && row.ready? }.map(&:nr).sort

    def one(rows, role) = rows.select { |row| row.role_name == role }.map(&:ready?)

    # A lost mold's successor keeps the generation, so molds and workers have the same one.
    def generations(rows) = rows.map(&:generation).uniq

    def own_descriptors
      Dir.children("/proc/#{@server.pid}/fd").size - @server.children(@server.pid).size
    end
  end
end
