# frozen_string_literal: true

require "coppice/tools/doctor/answers"
require "coppice/tools/doctor/libraries"
require "coppice/fork_safety/finding"

module Coppice
  module Doctor
    # What a chain has shown, and the verdict. Each entry has a severity: :danger, :care, or nil for what is only told.
    class Diagnosis
      VERDICTS = {
        ready: "ready: nothing was found that a fork would break",
        care: "needs care: it may be safe, but look at what is listed below",
        danger: "not safe: forks break this application",
        unknown: "not known: the application failed before it was forked from a worker"
      }.freeze
      # What is wrong for certain, or can hang a process. Other kinds depend on what the object is used for, and so does
      # a missing thread of a library whose threads are minor.
      DANGERS = %i[shared_connection shared_pipe missing_thread native_thread].freeze

      Entry = Struct.new(:kind, :severity, :message, :owner, :place, :detail, :remedy, :processes, keyword_init: true)

      attr_reader :answers   #: Array[Answers::Answer]
      attr_reader :libraries #: Array[Libraries::Library]

      #: (settings: Config::Settings, chain: Chain, journal: Journal) -> void
      def initialize(settings:, chain:, journal:)
        @chain = chain
        @journal = journal
        @answers = Answers.new(chain.answers, journal.events(:error), last: chain.last_answers).all
        @libraries = Libraries.new(journal.events(:library), journal.events(:block), settings).all
      end

      #: () -> Symbol
      def verdict
        return :unknown if failed_before_fork?

        severities = [*findings, *answers, *libraries, *unsafe_calls, *stray_copies, *failures].map(&:severity)
        %i[danger care].find { |severity| severities.include?(severity) } || :ready
      end

      # What the verdict does not say: that nothing but errors, redirects and the like was seen of the application.
      #: () -> String?
      def caveat
        return if @chain.broken || boot_failure
        return if @answers.any? { |answer| answer.succeeded_before? || answer.failed_before? }

        "no request was answered with success (2xx), so little of the application has run. Name paths that are, such " \
          "as: coppice doctor /up /login. --host names the host, if the application accepts only its own; " \
          "--header 'Cookie: …' is for pages behind a login"
      end

      # Whether the exit status says success.
      #: (?strict: bool) -> bool
      def passed?(strict: false) = (strict ? [:ready] : %i[ready care]).include?(verdict)

      # What was found in the processes, each cause once.
      #: () -> Array[Entry]
      def findings
        groups = @journal.events(:finding).group_by { |event| event.values_at(:kind, :owner) }
        groups = groups.reject { |(kind, owner), _| misread?(kind, owner, groups) }
        groups.map { |(kind, owner), events| entry(kind.to_sym, owner, events) }
      end

      # The calls of no_longer_fork_safe!.
      #: () -> Array[Entry]
      def unsafe_calls
        calls = @journal.events(:unsafe).group_by { |event| event.values_at(:place, :presets) }
        calls.map do |(place, presets), events|
          Entry.new(kind: :no_longer_fork_safe, severity: :care, place: place, processes: processes(events),
            owner: presets.empty? ? nil : "preset: #{presets.join(', ')}",
            message: "no_longer_fork_safe! was called: this process is never promoted",
            remedy: "if every worker does so, reforks stop: use the library in fewer workers or in another process")
        end
      end

      # The copies that the application has forked, and that returned from its code.
      #: () -> Array[Entry]
      def stray_copies
        @journal.events(:stray_copy).group_by { |event| event[:place] }.map do |place, events|
          Entry.new(kind: :stray_copy, severity: :care, place: place, processes: processes(events),
            message: "code forks, and the copy returns from it: Coppice ends such a copy there",
            remedy: "use the block form of fork, or call exit in the copy")
        end
      end

      # What has ended the chain early, or an examination.
      #: () -> Array[Entry]
      def failures
        failed = @journal.events(:failure).map { |event| failure("an examination failed: #{event[:message]}", :care) }
        broken = @chain.broken if @journal.events(:boot_failed).empty?
        return failed unless broken

        [failure(broken, :danger, "look for what the process has written to standard error"), *failed]
      end

      # For people: what is worth knowing, but no problem by itself.
      #: () -> Array[String]
      def notes
        found = findings.map { |entry| [entry.kind, entry.owner] }
        gone = @chain.audited.reject { |finding| found.include?([finding.kind.to_sym, finding.owner]) }
        later = ", but it was not found any more once a new worker had served requests" if worker_examined?
        gone.map { |finding| [finding.kind.to_sym, finding.owner] }.uniq.map do |kind, owner|
          "#{owner}: the fork audit of a server will log it (#{ForkSafety::Finding::KINDS.fetch(kind).message})#{later}"
        end
      end

      # What this run could not see.
      #: () -> Array[String]
      def not_seen
        return [] if boot_failure
        return ["whether it survives a fork: no generation was examined"] if @chain.complete_generations.zero?

        [("#{@chain.complete_generations} of #{Chain::GENERATIONS} generations were examined" unless complete?),
         *answers.filter_map(&:remark),
         "code that only other paths, other methods than GET, or jobs run (paths: #{answers.map(&:path).join(', ')})",
         "what happens only after a longer time, such as idle timeouts, timers and full buffers",
         "connections that were closed at the moment of each fork",
         "locks inside of C libraries, and buffered data outside of Thread::Queue"].compact
      end

      # How the application could not be loaded.
      #: () -> String?
      def boot_failure = @journal.events(:boot_failed).first&.fetch(:message)

      private

      def failed_before_fork?
        return true unless boot_failure.nil?

        !@chain.broken.nil? && (@chain.complete_generations.zero? || @answers.any?(&:failed_before?))
      end

      # A file with a pid in its name: each process opens its own, or the later ones keep that of the first.
      def misread?(kind, owner, groups)
        opened, kept = %w[file_per_process kept_file].map { |one| groups.fetch([one, owner], []) }
        return false if opened.empty? || kept.empty?

        kind == (processes(opened).size > 1 ? "kept_file" : "file_per_process")
      end

      # Otherwise what an audit has found may still be there.
      def worker_examined? = @journal.events(:examined).any? { |event| event[:role] == "worker" }

      def complete? = @chain.complete_generations == Chain::GENERATIONS

      def entry(kind, owner, events)
        texts = ForkSafety::Finding::KINDS.fetch(kind)
        place = events.filter_map { |event| event[:place] }.first
        library = library_at(place.to_s)
        Entry.new(kind: kind, owner: owner, severity: severity_of(kind, library), message: texts.message,
          remedy: remedy_of(library) || texts.remedy, place: place,
          detail: events.filter_map { |event| event[:detail] }.first, processes: processes(events))
      end

      # The one whose gem has this place.
      def library_at(place) = libraries.find { |one| place.match?(/\A#{Regexp.escape(one.name)}-\d/) }

      def severity_of(kind, library)
        return :care unless DANGERS.include?(kind)

        kind == :missing_thread && library && Presets[Presets.name_for(library.name)].minor_threads ? :care : :danger
      end

      # What its preset says, where something is left to do.
      def remedy_of(library) = ("#{library.name}: #{library.advice}" if library&.severity)

      def processes(events) = events.map { |event| "#{event[:role]} of generation #{event[:generation]}" }.uniq

      def failure(message, severity, remedy = nil)
        Entry.new(kind: :failure, severity: severity, message: message, remedy: remedy, processes: [])
      end
    end
  end
end
