# frozen_string_literal: true

require "test_helper"
require "coppice/tools/doctor/chain"
require "coppice/tools/doctor/diagnosis"
require "coppice/tools/doctor/journal"

module Coppice
  module Doctor
    class DiagnosisTest < TestCase
      CHAIN = Struct.new(:answers, :last_answers, :audited, :broken, :complete_generations)
      SETTINGS = Struct.new(:fork_safety_presets, :services) { def hook(_name) = nil }.new(true, [].freeze)
      MISSING = ForkSafety::Finding.new(:missing_thread, "poller config.ru:4")

      def setup
        @journal = Journal.new
      end

      def teardown
        @journal.close
      end

      def diagnosis
        chain = CHAIN.new({}, {}, [MISSING], nil, 1)
        Diagnosis.new(settings: SETTINGS, chain: chain, journal: @journal)
      end

      def notes = diagnosis.notes

      def note_file(kind, generation)
        @journal.note(:finding, kind: kind, owner: "a-PID", role: :worker, generation: generation)
      end

      def note_thread(place)
        @journal.note(:finding, kind: :missing_thread, owner: place, place: place, role: :worker, generation: 1)
      end

      test "a file with a pid in its name is kept, or opened by each process" do
        note_file(:file_per_process, 0)
        note_file(:kept_file, 1)
        assert_equal [:kept_file], diagnosis.findings.map(&:kind)

        note_file(:file_per_process, 1)
        assert_equal [:file_per_process], diagnosis.findings.map(&:kind)
      end

      test "a missing thread needs care if it is of a library whose threads only clean up or report" do
        @journal.note(:library, name: "rack_mini_profiler", version: "4.0.1", used: true)
        note_thread("rack-mini-profiler-4.0.1/lib/mini_profiler/storage/file_store.rb:75")

        assert_equal [:care], diagnosis.findings.map(&:severity)
        assert_equal :care, diagnosis.verdict
        assert_match(/\Arack-mini-profiler: keep its results/, diagnosis.findings.first.remedy)
        @journal.note(:library, name: "rufus_scheduler", version: "3.9.2", used: true)
        note_thread("rufus-scheduler-3.9.2/lib/rufus/scheduler.rb:9")
        note_thread("config.ru:4")

        assert_equal %i[care danger danger], diagnosis.findings.map(&:severity)
        assert_equal :danger, diagnosis.verdict
      end

      test "what an audit has found counts as gone only if a worker was looked at after its requests" do
        told = "poller config.ru:4: the fork audit of a server will log it (a thread does not exist after the fork)"
        @journal.note(:examined, role: :mold, generation: 0)

        assert_equal [told], notes
        @journal.note(:examined, role: :worker, generation: 0)

        assert_equal ["#{told}, but it was not found any more once a new worker had served requests"], notes
        @journal.note(:finding, role: :worker, generation: 0, **MISSING.to_h)

        assert_empty notes
      end
    end
  end
end
