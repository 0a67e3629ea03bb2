# frozen_string_literal: true

module Coppice
  module Doctor
    # A diagnosis as readable text.
    class TextReport
      #: (Diagnosis) -> void
      def initialize(diagnosis)
        @diagnosis = diagnosis
      end

      #: () -> String
      def text = sections.compact.map { |lines| "#{lines.join("\n")}\n" }.join("\n")

      private

      def sections
        [[Diagnosis::VERDICTS.fetch(@diagnosis.verdict), @diagnosis.boot_failure, @diagnosis.caveat].compact,
         *entries, *answers, *urgent_libraries, unused_libraries, other_libraries,
         section("worth knowing", @diagnosis.notes), section("not seen", @diagnosis.not_seen)]
      end

      # First what is certain.
      def entries
        all = [*@diagnosis.failures, *@diagnosis.findings, *@diagnosis.unsafe_calls, *@diagnosis.stray_copies]
        danger, care = all.partition { |entry| entry.severity == :danger }
        [*danger, *care].map do |entry|
          block("#{entry.kind == :failure ? 'failed: ' : mark(entry)}#{entry.message}", facts(entry))
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
          title = answer.failed_before? ? "requests fail" : "answers change after a fork"
          block("#{mark(answer)}#{title}: GET #{answer.path}",
            "status" => answer.changes, "error" => answer.error, "where" => answer.place)
        end
      end

      def urgent_libraries
        @diagnosis.libraries.select(&:severity).map do |library|
          block("needs care: the library #{name(library)}",
            "verdict" => library.verdict, "Coppice" => library.does, "you" => library.advice, "why" => library.why)
        end
      end

      def unused_libraries
        section("libraries that are loaded, but that this run has not used", lines_of(unused, "if you use it"))
      end

      def other_libraries
        section("other libraries that Coppice knows", lines_of(@diagnosis.libraries.reject(&:severity) - unused, "you"))
      end

      def unused = @diagnosis.libraries.reject { |library| library.severity || library.used }

      # Without what is nothing to do.
      def lines_of(libraries, you)
        libraries.flat_map do |library|
          ["#{name(library)}: #{library.verdict}",
           *lines("  ", "Coppice" => something(library.does), you => something(library.advice))]
        end
      end

      def something(text) = (text unless text.to_s.match?(/\Anothing(?:\z|: )/))

      def name(library) = [library.name, library.version].compact.join(" ")

      def section(title, texts) = ([title, *texts.map { |text| "  #{text}" }] unless texts.empty?)

      def block(title, facts) = [title, *lines("  ", facts)]

      def lines(indent, facts)
        facts.reject { |_, text| text.to_s.empty? }.map { |name, text| "#{indent}#{name}: #{text}" }
      end

      def mark(entry) = entry.severity == :danger ? "not safe: " : "needs care: "
    end
  end
end
