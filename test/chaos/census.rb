# frozen_string_literal: true

module Chaos
  # Who there is, as the kernel and the board have it, and what is open.
  class Census
    #: (Server) -> void
    def initialize(server)
      @server = server
    end

    # Remembers what the monitor has open beside its children's channels.
    #: () -> void
    def take_stock
      @descriptors = own_descriptors
    end

    # What is not as it should be at rest, in words; nil when everything is.
    #: () -> String?
    def disorder
      rows = @server.board.rows
      children = @server.children(@server.pid)
      return "slots #{slots(rows)} of #{@server.board.workers_count}" unless slots(rows) == (0...@server.board.workers_count).to_a
      return "molds: #{one(rows, :mold)}" unless one(rows, :mold) == [true]
      return "service workers: #{one(rows, :service)}" unless one(rows, :service) == [true]
      return "generations: #{generations(rows)}" unless generations(rows) == [@server.board.generation]
      return "on the board #{rows.map(&:pid).sort}, children #{children.sort}" unless rows.map(&:pid).sort == children.sort

      idle = children.select { |pid| ["Z", "T", nil].include?(state(pid)) }
      return "dead or stopped: #{idle}" if idle.any?

      "#{own_descriptors} descriptors, #{@descriptors} before" unless own_descriptors == @descriptors
    end

    # Z of a process that was not reaped, T of one that is stopped; nil when there is none.
    #: (Integer) -> String?
    def state(pid)
      File.read("/proc/#{pid}/stat").rpartition(")").last.split.first
    rescue Errno::ENOENT, Errno::ESRCH
      nil
    end

    private

    def slots(rows) = rows.select { |row| row.role_name == :worker && row.ready? }.map(&:nr).sort

    def one(rows, role) = rows.select { |row| row.role_name == role }.map(&:ready?)

    # A lost mold's successor keeps the generation, so molds and workers agree in it.
    def generations(rows) = rows.map(&:generation).uniq

    def own_descriptors
      Dir.children("/proc/#{@server.pid}/fd").size - @server.children(@server.pid).size
    end
  end
end
