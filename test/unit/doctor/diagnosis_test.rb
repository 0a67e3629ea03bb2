# frozen_string_literal: true

require "test_helper"
require "coppice/doctor/chain"
require "coppice/doctor/diagnosis"
require "coppice/doctor/journal"

module Coppice
  module Doctor
    class DiagnosisTest < TestCase
      CHAIN = Struct.new(:answers, :last_answers, :audited, :broken, :complete_generations)
      SETTINGS = Struct.new(:fork_safety_presets).new(true)
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

      test "a file with a pid in its name is kept, or opened by each process" do
        note_file(:file_per_process, 0)
        note_file(:kept_file, 1)
        assert_equal [:kept_file], diagnosis.findings.map(&:kind)

        note_file(:file_per_process, 1)
        assert_equal [:file_per_process], diagnosis.findings.map(&:kind)
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
