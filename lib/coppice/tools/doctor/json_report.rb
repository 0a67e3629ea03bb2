# frozen_string_literal: true

require "json"

module Coppice
  module Doctor
    # A diagnosis as one JSON document, for programs.
    class JsonReport
      #: (Diagnosis) -> void
      def initialize(diagnosis)
        @diagnosis = diagnosis
      end

      #: () -> String
      def text = JSON.pretty_generate(document)

      private

      def document
        { verdict: @diagnosis.verdict, boot_failure: @diagnosis.boot_failure, caveat: @diagnosis.caveat,
          ruby: RUBY_VERSION, answers: answers,
          failures: rows(@diagnosis.failures), findings: rows(@diagnosis.findings),
          no_longer_fork_safe: rows(@diagnosis.unsafe_calls), stray_copies: rows(@diagnosis.stray_copies),
          libraries: rows(@diagnosis.libraries),
          notes: @diagnosis.notes, not_seen: @diagnosis.not_seen }.compact
      end

      def answers
        @diagnosis.answers.map do |answer|
          answer.to_h.merge(severity: answer.severity, changed: answer.changed).compact
        end
      end

      def rows(entries) = entries.map { |entry| entry.to_h.compact }
    end
  end
end
