# frozen_string_literal: true

require "coppice/tools/top/line"
require "coppice/tools/top/units"

module Coppice
  module Top
    # One worker: its figures, those of its slot, and its backtrace.
    class Detail
      # `backtrace` is nil until it has come. `worker` is nil when there is none.
      #: (Hash[Symbol, untyped]?, Meter::Reading, Array[String]?) -> void
      def initialize(worker, reading, backtrace)
        @worker = worker
        @reading = reading
        @backtrace = backtrace
      end

      #: () -> Array[Line]
      def lines
        return [Line.new("There is no worker.")] unless @worker

        [title, Line.new, *facts.map { |name, value| Line.new(["  #{name.ljust(15)}", :dim], value) }, Line.new, *stack]
      end

      private

      def title
        Line.new(["worker #{@worker[:slot]}", :bold], "  generation #{@worker[:generation]}  pid #{@worker[:pid]}  ",
          [@worker[:state].to_s, :bold], *([" overdue", :red] if @worker[:overdue]))
      end

      def facts
        [["request", request], ["process", process], ["memory", memory], ["processor", processor],
         ["answers", answers], ["slot", slot_totals]].reject { |_, text| text.nil? }
      end

      def request
        text = @worker[:request] or return "none in flight"
        answered_age, age = @worker.values_at(:answered_age, :request_age)
        return "#{text}  after its response for #{Units.seconds(answered_age)}" if answered_age

        age ? "#{text}  for #{Units.seconds(age)}" : text
      end

      def process
        parts = ["#{Units.age(@worker[:age])} old", "#{Units.count(@worker[:requests])} requests served"]
        parts << "forked by #{@worker[:parent_pid]}" if @worker[:parent_pid]
        parts << (@worker[:fork_safe] ? "fork-safe" : "not fork-safe") unless @worker[:fork_safe].nil?
        parts.join(", ")
      end

      # Sizes that were never measured are unknown.
      def memory
        age = @worker[:measured_age] or return
        own, start, pss, resident = @worker.values_at(:private, :private_at_start, :pss, :rss)
                                           .map { |size| Units.bytes(size) }
        "own #{own} (#{start} at its start), pss #{pss}, resident #{resident}#{", #{Units.age(age)} ago" if age > 10}"
      end

      def processor
        used = @worker[:cpu_seconds] or return
        "#{Units.percent(@reading.cpu[@worker[:pid]])} now, #{Units.seconds(used)} in all"
      end

      def answers
        first, median = @worker.values_at(:first_request_seconds, :median_seconds)
        "first #{Units.seconds(first)}, median #{Units.seconds(median)}" if first || median
      end

      # Of all workers that this slot has had.
      def slot_totals
        slot = Array(@reading.stats[:slots]).find { |entry| entry[:slot] == @worker[:slot] } or return
        parts = { "requests" => slot[:requests], "5xx" => Hash(slot[:responses])["5xx"], "timeouts" => slot[:timeouts] }
        [*parts.compact.map { |name, count| "#{name} #{Units.count(count)}" },
         *("GC #{Units.seconds(slot[:gc_seconds])}" if slot[:gc_seconds])].join(", ")
      end

      def stack
        return [Line.new(["The backtrace is being fetched.", :dim])] unless @backtrace

        @backtrace.map { |text| Line.new("  #{text}") }
      end
    end
  end
end
