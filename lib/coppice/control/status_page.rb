# frozen_string_literal: true

require "coppice/control/duration"
require "coppice/control/lobby_troubles"
require "coppice/control/ready_workers"
require "coppice/control/release_lines"
require "coppice/control/table"
require "coppice/log/text"
require "coppice/roles"

module Coppice
  module Control
    # `coppice status`: the state of a server on one page, for people. Made from the figures as a Hash; what is not
    # known is left out.
    class StatusPage
      COLUMNS = %w[process pid state requests PSS private request].freeze
      ASKED = %w[asked shutdown client_gone].freeze # causes of exits that are no deaths
      RIGHT = [1, 3, 4, 5].freeze # the columns of numbers

      #: (Hash[Symbol, untyped]) -> void
      def initialize(status)
        @server = status.fetch(:server)
        @memory = status[:memory] || {}
        @releases = ReleaseLines.new(status)
        @status = status
      end

      #: () -> Array[String]
      def lines
        facts = { "server" => server, **@releases.facts, "workers" => workers,
                  "clients waiting" => @server[:requests_waiting], "lobby" => lobby, "listeners" => listeners,
                  "memory" => memory, "last refork" => last_refork, "heir" => heir, "deaths" => deaths }
        facts = facts.compact
        width = facts.keys.map(&:size).max
        [*facts.map { |title, text| "#{title.ljust(width)}  #{text}" }, *history, "", *table]
      end

      private

      def server
        uptime = ", up #{Duration.text(@server[:uptime])}" if @server[:uptime]
        "#{@server[:state]}, generation #{@server[:generation]}, Coppice #{@status[:version]}, " \
          "process #{@server[:pid]}#{uptime}#{stale}"
      end

      # The monitor's loop turns at least once a second.
      def stale
        age = @server[:monitor_beat_age]
        ": THE MONITOR HAS NOT MOVED for #{Duration.text(age)}" if age && age > 5
      end

      def workers
        utilization = ", utilization #{(@server[:utilization] * 100).round} %" if @server[:utilization]
        "#{ReadyWorkers.text(@server)} ready, #{@server[:workers_busy]} busy#{utilization}#{bounds}"
      end

      # Where the number of workers follows the load.
      def bounds
        least, most = @server.values_at(:workers_least, :workers_most)
        "; #{least} to #{most}, as requests wait" if most.to_i > least.to_i
      end

      def lobby
        lobby = @status[:lobby] or return
        refused = lobby[:refused].sum { |refusal| refusal[:count] }
        troubles = LobbyTroubles.text(lobby)
        "#{"#{troubles}; " if troubles}#{lobby[:connections]} connections open, #{lobby[:idle]} of them idle; " \
          "since the start #{lobby[:requests]} requests, #{refused} answered with an error, #{lobby[:retried]} given " \
          "to a second worker"
      end

      def listeners
        names = @server[:listeners]&.map do |listener|
          queue = " (#{listener[:queue]} of #{listener[:backlog]} in its queue)" if listener[:queue]
          "#{listener[:name]}#{queue}"
        end
        names&.join(", ")
      end

      def memory
        return unless @memory[:pss]

        available = ", #{mib(@memory[:available])} MiB available" if @memory[:available]
        "#{mib(@memory[:pss])} MiB in molds, workers, services and guests, sharing saves #{mib(@memory[:saved])} " \
          "MiB#{available}"
      end

      def last_refork
        last = @status[:promotions]&.find { |promotion| promotion[:refork] } or return
        ago = " #{Duration.text(@status[:time] - last[:time])} ago" if @status[:time] && last[:time]
        "generation #{last[:generation]}: #{last[:outcome] || 'under way'},#{ago} (#{last[:reason]})"
      end

      # Where some routes make workers unsafe to fork: the one that is spared them.
      def heir
        routes = @server[:unsafe_routes].to_a
        return if routes.empty?

        worker = @status.fetch(:processes).find { |process| process[:heir] }
        "#{worker ? "worker #{worker[:slot]}" : 'none'}, spared " \
          "#{routes.map { |route| "#{route[:route]} (#{route[:by]})" }.join(', ')}"
      end

      # Exits that nobody asked for.
      def deaths
        last = @status[:recent_exits]&.find { |exit| !ASKED.include?(exit[:cause].to_s) } or return
        "#{death_counts.map { |cause, count| "#{count} #{cause}" }.join(', ')}; " \
          "last: #{last[:role]}#{which(last)}#{" (process #{last[:pid]})" if last[:pid]}, #{last[:cause]}"
      end

      # By cause, of all roles.
      def death_counts
        counts = Hash.new(0)
        @status[:exits].to_h.each_value { |causes| causes.each { |cause, count| counts[cause.to_s] += count } }
        counts.reject { |cause, count| ASKED.include?(cause) || count.zero? }
      end

      def history
        rows = @releases.history
        ["", *Table.lines(rows)] unless rows.empty?
      end

      def table = Table.lines([COLUMNS, *processes.map { |process| row(process) }], right: RIGHT)

      def processes
        @status.fetch(:processes).sort_by do |process|
          [Roles.number(process[:role].to_sym), process[:slot].to_i, process[:name].to_s]
        end
      end

      def row(process)
        ["#{process[:role]}#{which(process)} (gen #{process[:generation]}#{@releases.mark(process)})",
         process[:pid].to_s, process[:state], process[:role] == "worker" ? process[:requests].to_s : "",
         mib(process[:pss]), mib(process[:private]), [request(process), taken_over(process)].compact.join("; ")]
      end

      # Which one of its role: the slot of a worker, the name of a service.
      def which(process) = ("[#{process[:slot] || process[:name]}]" if process[:slot] || process[:name])

      # A worker with WebSockets is idle between two requests, and yet it does something. Which of them are closed by
      # now the server does not know.
      def taken_over(process)
        count = process[:hijacked].to_i
        "#{count} connection#{"s" if count > 1} taken over since its fork" if count.positive?
      end

      def request(process)
        return unless process[:request]

        overdue = ", OVERDUE" if process[:overdue]
        "#{Log::Text.printable(process[:request])}#{duration(process)}#{overdue}"
      end

      # A client that has its answer does not wait for the work after it.
      def duration(process)
        answered_age, request_age = process.values_at(:answered_age, :request_age)
        answered_age ? ", after its response for #{answered_age.round(1)} s" : " for #{request_age&.round(1)} s"
      end

      def mib(bytes) = bytes ? (bytes / 1_048_576.0).round(1).to_s : "-"
    end
  end
end
