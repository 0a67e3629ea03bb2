# frozen_string_literal: true

require "coppice/tools/doctor/library_sections"

module Coppice
  module Doctor
    # A diagnosis as readable text: first what is certain to break, then what needs care, then what is good to know.
    class TextReport
      # all: whether each library has its rows, and not only those with something to do.
      #: (Diagnosis, ?all: bool) -> void
      def initialize(diagnosis, all: false)
        @diagnosis = diagnosis
        @libraries = LibrarySections.new(diagnosis.libraries, all: all)
      end

      #: () -> String
      def text = sections.compact.map { |lines| "#{lines.join("\n")}\n" }.join("\n")

      private

      def sections
        [[Diagnosis::VERDICTS.fetch(@diagnosis.verdict), @diagnosis.boot_failure, @diagnosis.caveat].compact,
         *urgent, *@libraries.sections,
         section("worth knowing", @diagnosis.notes), section("not seen", @diagnosis.not_seen)]
      end

      def urgent
        danger, care = [*entries, *answers, *urgent_libraries].partition { |severity, _| severity == :danger }
        [*danger, *care].map(&:last)
      end

      def entries
        all = [*@diagnosis.failures, *@diagnosis.findings, *@diagnosis.unsafe_calls, *@diagnosis.stray_copies]
        all.map do |entry|
          [entry.severity,
           block("#{entry.kind == :failure ? 'failed: ' : mark(entry)}#{entry.message}", facts(entry))]
        end
      end

      def facts(entry)
        owner = entry.owner unless entry.owner == entry.place
        { "what" => [owner, entry.detail].compact.join(", "),
          "where" => (entry.place unless owner.to_s.end_with?(entry.place.to_s)),
          "in" => entry.processes.join(", "), "remedy" => entry.remedy }
      end

      def answers
        @diagnosis.answers.select(&:severity).map do |answer|
          [answer.severity, block("#{mark(answer)}#{title(answer)}: GET #{answer.path}",
            "status" => answer.changes, "error" => answer.error, "where" => answer.place, "remedy" => answer.remedy)]
        end
      end

      def title(answer)
        return "requests fail" if answer.failed_before?

        answer.changed_by_exits? ? "answers change once other processes exit" : "answers change after a fork"
      end

      def urgent_libraries
        @libraries.urgent.map do |library|
          [library.severity, block("#{mark(library)}the library #{library.title}",
            "verdict" => library.verdict, "Coppice" => library.does, "you" => library.advice, "why" => library.why)]
        end
      end

      def section(title, texts) = ([title, *texts.map { |text| "  #{text}" }] unless texts.empty?)

      def block(title, facts)
        [title, *facts.reject { |_, text| text.to_s.empty? }.map { |name, text| "  #{name}: #{text}" }]
      end

      def mark(entry) = entry.severity == :danger ? "not safe: " : "needs care: "
    end
  end
end
