# frozen_string_literal: true

require "coppice/control/lobby_troubles"
require "coppice/control/ready_workers"
require "coppice/control/status_page"
require "coppice/tools/top/line"
require "coppice/tools/top/release_summary"
require "coppice/tools/top/units"

module Coppice
  module Top
    # The lines above the table: what the whole server does. The most important come first.
    class Summary
      STALE_BEAT = 5 # seconds since the monitor's last turn: it looks at the board once a second
      ROUTINE = Control::StatusPage::ASKED # causes of exits that nobody has to look into
      BAR = 20 # columns

      #: (Meter::Reading) -> void
      def initialize(reading)
        @reading = reading
        @stats = reading.stats
        @server = @stats.fetch(:server)
        @releases = ReleaseSummary.new(@stats)
      end

      #: () -> Array[Line]
      def lines = [title, @releases.roll, load, workers, lobby, memory, reforks, @releases.running, exits].compact

      private

      def title
        Line.new(["coppice #{@server[:pid]}", :bold], "  ", state, "  generation #{@server[:generation]}",
          "  up #{Units.age(@server[:uptime])}", ["  #{listeners}", :dim])
      end

      def state
        beat = @server[:monitor_beat_age]
        return ["monitor silent for #{Units.age(beat)}", :red] if beat && beat > STALE_BEAT

        [@server[:state].to_s, @server[:state].to_s == "serving" ? :green : :yellow]
      end

      def listeners = Array(@server[:listeners]).map { |listener| listener[:name] }.join(" ")

      def load
        errors = @reading.errors
        Line.new(*label("requests"), "#{Units.rate(@reading.rate)}/s", *part("p50", Units.seconds(@reading.p50)),
          *part("p99", Units.seconds(@reading.p99)),
          *part("errors", Units.percent(errors), errors&.positive? ? :red : nil),
          *part("total", Units.count(@stats.dig(:totals, :requests))))
      end

      def workers
        share = @server[:utilization]
        ready, wanted, most = @server.values_at(:workers_ready, :workers, :workers_most)
        Line.new(*label("workers"), *bar(share), " #{Units.percent(share)}",
          *part("busy", "#{@server[:workers_busy] || Units::NOTHING} of #{ready}"),
          *(part("up to", most.to_s) if most.to_i > wanted.to_i),
          *(part("ready", Control::ReadyWorkers.text(@server), :yellow) if ready != wanted), *queue)
      end

      def bar(share)
        return [] unless share

        filled = (share.clamp(0, 1) * BAR).round
        ["[", ["|" * filled, share > 0.9 ? :red : :green], "#{' ' * (BAR - filled)}]"]
      end

      def queue
        waiting = @server[:requests_waiting]
        part("waiting", waiting ? Units.count(waiting) : Units::NOTHING, waiting&.positive? ? :yellow : nil)
      end

      def lobby
        troubles = Control::LobbyTroubles.text(@stats[:lobby])
        Line.new(*label("lobby"), [troubles, :red]) if troubles
      end

      def memory
        memory = @stats[:memory] or return
        available, total = memory.values_at(:available, :total)
        scarce = available && total && available < total / 10
        Line.new(*label("memory"), Units.bytes(memory[:pss]), *part("saved by sharing", Units.bytes(memory[:saved])),
          *part("available", "#{Units.bytes(available)} of #{Units.bytes(total)}", scarce ? :red : nil))
      end

      def reforks
        counts = only_reforks(:reforks).group_by { |entry| entry[:outcome] }
                                       .transform_values { |entries| entries.sum { |entry| entry[:count] } }
        abandoned = counts["abandoned"].to_i
        Line.new(*label("reforks"), counts["committed"].to_i.to_s,
          *(part("abandoned", abandoned.to_s, :yellow) if abandoned.positive?), *promotion, *due)
      end

      def only_reforks(list) = Array(@stats[list]).select { |entry| entry[:refork] }

      def promotion
        newest = only_reforks(:promotions).first or return []
        running = newest[:outcome].nil?
        age = Units.age(@stats[:time] - newest[:time])
        running ? part("running for", age, :cyan) : part("last", "#{age} ago, #{newest[:reason]}")
      end

      def due
        requests = @stats.dig(:ledger, :due_in_requests)
        requests ? part("next in", "~#{Units.count(requests)} requests") : []
      end

      # Exits that nobody asked for, if there were any.
      def exits
        counts = Hash(@stats[:exits]).values.each_with_object(Hash.new(0)) do |causes, sums|
          causes.each { |cause, count| sums[cause.to_s] += count }
        end
        counts = counts.reject { |cause, count| ROUTINE.include?(cause) || count.zero? }
        return if counts.empty?

        Line.new(*label("exits"), [counts.map { |cause, count| "#{cause} #{count}" }.join("  "), :yellow], *last_exit)
      end

      def last_exit
        last = Array(@stats[:recent_exits]).find { |exit| !ROUTINE.include?(exit[:cause].to_s) } or return []
        place = [last[:role], last[:slot] || last[:name]].compact.join(" ")
        part("last", "#{place}, #{Units.age(@stats[:time] - last[:time])} ago #{last[:request]}".rstrip)
      end

      def label(text) = [[text.ljust(10), :dim]]

      def part(name, text, style = nil) = [["   #{name} ", :dim], [text, style]]
    end
  end
end
