# frozen_string_literal: true

require "test_helper"
require "coppice/observer/open_metrics"
require_relative "../../support/sample_stats"

module Coppice
  class Observer
    # The table of metrics, and the texts that are made from it.
    class ExpositionTest < TestCase
      UNITS = [nil, :seconds, :bytes, :ratio].freeze

      def text(stats = SampleStats.of) = Exposition.new.text(stats)
      def open_metrics(stats = SampleStats.of) = OpenMetrics.new.text(stats)

      # Name of each sample => its lines, without the name.
      def samples(text)
        text.lines(chomp: true).reject { |line| line.start_with?("#") }.group_by { |line| line[/\A\w+/] }
      end

      test "names are unique, begin with the prefix and end with the unit" do
        names = METRICS.map(&:name)

        assert_equal names.uniq, names
        METRICS.each do |metric|
          assert_match(/\A(?:coppice|coppice_[a-z_]+|process_start_time_seconds)\z/, metric.name)
          assert_includes UNITS, metric.unit, metric.name
          assert_operator metric.name, :end_with?, "_#{metric.unit}" if metric.unit
          refute_match(/_total|_bucket|_count|_sum/, metric.name)
        end
      end

      test "each has a sentence" do
        METRICS.each { |metric| assert_match(/\A[A-Z0-9].+\.\z/, metric.help) }
      end

      test "the oldest request is one in flight, not what a process does without one or after its response" do
        stats = SampleStats.of
        stats[:processes] += [{ in_flight: false, request_age: 9000.0 }, { in_flight: true, request_age: 4.5 },
                              { in_flight: true, request_age: 70.0, answered_age: 60.0 }]

        assert_equal ["coppice_oldest_request_seconds 4.5"], samples(text(stats))["coppice_oldest_request_seconds"]
      end

      test "no label names a process or a generation" do
        assert_empty(METRICS.flat_map(&:labels) & [:pid, :generation, :gen])
      end

      test "each is in the text, with its labels and no others" do
        METRICS.each do |metric|
          found = metric.samples(SampleStats.of)
          next assert_equal(:coppice_ledger_due_requests, metric.name) if found.empty?

          found.each { |labels, _| assert_equal metric.labels, labels.keys, metric.name }
          assert_includes text, "# TYPE #{metric.full_name} "
        end
      end

      test "no two samples have the same name and labels" do
        series = text.lines.reject { |line| line.start_with?("#") }.map { |line| line.rpartition(" ").first }

        assert_equal series.uniq, series
      end

      test "counters are counted by slot, and end with _total" do
        assert_includes text, %(# TYPE coppice_responses_total counter\n)
        assert_includes text, %(coppice_responses_total{slot="2",status="5xx"} 1\n)
        assert_includes text, %(coppice_exits_total{role="worker",cause="signal"} 2\n)
        assert_includes text, %(coppice_reforks_total{reason="asked",outcome="committed"} 1\n)
      end

      test "a lobby that takes no more clients" do
        says = [{}, { full: true }, { paused: true }].map do |troubles|
          stats = SampleStats.of
          lines = samples(text(stats.merge(lobby: stats[:lobby].merge(troubles))))
          lines.values_at("coppice_lobby_full", "coppice_lobby_paused").flatten.map { |line| line[/\d\z/].to_i }
        end

        assert_equal [[0, 0], [1, 0], [0, 1]], says
      end

      test "phases are those of the last committed promotion" do
        lines = samples(text).fetch("coppice_promotion_phase_seconds")

        assert_equal %w[fork prepare rollout], lines.map { |line| line[/phase="(\w+)"/, 1] }
        assert_includes lines, 'coppice_promotion_phase_seconds{phase="fork"} 0.1'
      end

      test "which release runs, how rolls ended, and whether there is a way back" do
        assert_includes text, %(coppice_release_info{number="2",revision="4f2a"} 1\n)
        assert_includes text, %(coppice_rolls_total{kind="roll",outcome="given_up"} 3\n)
        assert_includes text, "coppice_roll_in_progress 0\n"
        assert_includes text, "coppice_rollback_available_seconds 549.5\n"
        stats = SampleStats.of
        stats[:releases] = stats[:releases].merge(running: nil, roll: { phase: "booting" }, rollback: nil)

        refute_includes text(stats), "coppice_release_info"
        assert_includes text(stats), "coppice_roll_in_progress 1\n"
        assert_includes text(stats), "coppice_rollback_available_seconds 0\n"
      end

      test "what is unknown is left out" do
        stats = SampleStats.of(utilization: nil)
        stats[:ledger] = nil

        refute_match(/utilization|ledger/, text(stats))
      end

      test "label values are escaped" do
        assert_includes text, 'coppice_info{version="0.1.0",ruby="ruby \\"3\\""} 1'
        assert_includes open_metrics(SampleStats.of(listeners: [{ name: "C:\\a\n", queue: 1 }])),
          'coppice_listener_waiting{listener="C:\\\\a\\n"} 1'
      end

      test "the buckets of a histogram are cumulative, and end with all" do
        lines = samples(text).fetch("coppice_queue_seconds_bucket")

        assert_equal ['coppice_queue_seconds_bucket{le="0.1"} 1', 'coppice_queue_seconds_bucket{le="0.2"} 6',
                      'coppice_queue_seconds_bucket{le="+Inf"} 10'], lines
        assert_equal ["coppice_queue_seconds_count 10"], samples(text).fetch("coppice_queue_seconds_count")
      end

      test "a real histogram has a bucket for each octave" do
        stats = SampleStats.of
        bounds = Stats::Histogram::BOUNDS
        stats[:histograms][:queue_seconds] =
          { le: bounds, counts: Array.new(bounds.size + 1, 1), sum: 1.0, count: bounds.size + 1 }
        bounds = text(stats).scan(/coppice_queue_seconds_bucket{le="([\d.e-]+)"}/).flatten.map(&:to_f)

        assert(bounds.each_cons(2).all? { |one, two| (two / one).round(6) == 2 })
        assert_operator bounds.size, :<, 30
      end

      test "OpenMetrics has the same samples, names without _total, units and an end" do
        assert_equal samples(text), samples(open_metrics)
        assert_includes open_metrics,
          "# TYPE coppice_busy_seconds counter\n# UNIT coppice_busy_seconds seconds\n# HELP "
        assert_includes open_metrics, "# TYPE coppice info\n"
        assert_operator open_metrics, :end_with?, "\n# EOF\n"
      end

      test "the client chooses the format" do
        assert OpenMetrics.accepted?("application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
        [nil, "*/*", "text/plain;version=0.0.4"].each { |accept| refute OpenMetrics.accepted?(accept) }
      end
    end
  end
end
