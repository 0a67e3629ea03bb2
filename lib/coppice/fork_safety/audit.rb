# frozen_string_literal: true

require "coppice/fork_safety/finding"
require "coppice/fork_safety/open_descriptors"
require "coppice/fork_safety/shared_descriptors"
require "coppice/fork_safety/thread_census"

module Coppice
  module ForkSafety
    # Looks for what does not survive the forks from a promoted worker by way of a mold to the mold's first worker. It
    # travels in memory: a process that forks makes one, the new process completes it, and the first worker compares
    # what it has with what its ancestors had.
    class Audit
      MOST = 20     # findings in one message
      LENGTH = 200  # characters of a text in it

      class << self
        # What these ancestors had and a process with these threads lacks: threads that were not started again, and all
        # native threads.
        #: (Array[ThreadCensus], Array[ThreadCensus::Entry]) -> Array[Finding]
        def compare(censuses, present)
          missing = censuses.flat_map { |census| missing(census.threads, present) }
          ractors = censuses.map(&:ractors).max
          findings_of(:missing_thread, missing) + findings_of(:native_thread, censuses.flat_map(&:natives), ractors)
        end

        private

        # A library that starts a thread again may do it on another line of the same file.
        def missing(threads, present)
          gone, others = without(threads, present), without(present, threads)
          restarted = others.map(&:file).compact.tally
          gone.reject { |entry| restarted.fetch(entry.file, 0).positive? && (restarted[entry.file] -= 1) }
        end

        # Entries of the first list that are not in the second.
        def without(entries, others) = others.map(&:key).then { |keys| entries.reject { |one| keys.include?(one.key) } }

        def findings_of(kind, entries, ractors = 0)
          entries.group_by(&:key).map do |_, same|
            details = [("#{same.size} threads" if same.size > 1), *guesses(same.first, ractors)].compact
            Finding.new(kind, owner_of(same.first), (details.join(", ") unless details.empty?))
          end
        end

        # Whose thread it may be that has no name of its own.
        def guesses(entry, ractors)
          return unless ThreadCensus.unnamed?(entry)

          names = Presets.activated.select { |preset| preset.unnamed_threads && preset.loaded? }.map(&:gem)
          [("perhaps of a Ractor (#{ractors} #{ractors == 1 ? 'exists' : 'exist'})" if ractors.positive?),
           ("probably of #{names.join(' or ')}, whose own advice goes first" unless names.empty?)]
        end

        def owner_of(entry)
          [entry.name, *(Finding.short_place(entry.place) if entry.place)].compact.join(" ")
        end
      end

      attr_reader :censuses #: Array[ThreadCensus] -- one for each ancestor, the oldest first

      # In the process that is about to fork. previous: the audit that this process itself was forked with.
      #: (?previous: Audit?) -> void
      def initialize(previous: nil)
        @censuses = [*previous&.censuses, ThreadCensus.take]
        @inherited = {}
      end

      # In a mold that is about to fork a worker. Not in the worker: a library may have connected anew there by then,
      # in the fork itself, and the connection would count as the parent's.
      #: () -> void
      def note_inherited
        @inherited = OpenDescriptors.links
      end

      # In the new process when it is about to be ready. Raises what the system or the application's objects raise.
      #: () -> Array[Finding]
      def findings
        threads = self.class.compare(@censuses.map(&:still_alive), ThreadCensus.entries_of)
        found = SharedDescriptors.new(@inherited).findings + threads
        found.first(MOST).map { |finding| finding.cut(LENGTH) }
      end
    end
  end
end
