# frozen_string_literal: true

require "coppice/fork_safety/audit"
require "coppice/fork_safety/heap_audit"
require "coppice/log/text"
require "coppice/presets"

module Coppice
  module Doctor
    # Looks at each process of a chain after its requests, right before it forks or exits. What it remembers of a
    # process is copied to the processes forked from it.
    class Examiner
      COPPICE = File.expand_path("../..", __dir__)

      # Takes the place of Info.no_longer_fork_safe! to note who calls it.
      module NoteUnsafe
        attr_writer :examiner #: Examiner

        #: () -> void
        def no_longer_fork_safe!
          @examiner.note_unsafe(caller_locations) if fork_safe?
          super
        end
      end

      # Notes the copies that code forks, and that return from it.
      module NoteStrayCopies
        attr_writer :examiner #: Examiner

        #: () -> void
        def forked
          @place = caller_locations.find { |location| Examiner.foreign?(location) }
          super
        end

        private

        def exit_copy
          @examiner.note_stray_copy(@place) unless $!.is_a?(SystemExit)
          super
        end
      end

      # Whether a line is neither of Coppice nor of Ruby itself.
      #: (Thread::Backtrace::Location) -> bool
      def self.foreign?(location)
        !location.absolute_path.to_s.start_with?("#{COPPICE}/") && !location.path.to_s.start_with?("<internal:")
      end

      #: (Journal) -> void
      def initialize(journal)
        @journal = journal
        @censuses = []
        @inherited = nil
        @role = :mold
        @generation = 0
        @forked = false # and examined then
      end

      # Called once in the cold mold, before it loads the application.
      #: () -> void
      def start
        require "objspace"
        ObjectSpace.trace_object_allocations_start
        Info.singleton_class.prepend(NoteUnsafe)
        ForkSafety::StrayCopy.singleton_class.prepend(NoteStrayCopies)
        [Info, ForkSafety::StrayCopy].each { |noted| noted.examiner = self }
      end

      # Called after the hooks of each moment, with the arguments of the hook.
      #: (Symbol, ?(Mold | Worker)?) -> void
      def after_hook(name, process = nil)
        case name
        when :after_mold_fork, :after_worker_fork then note_process(process)
        when :before_fork then examine { prepare_for_fork }
        when :before_worker_exit then examine unless @forked
        end
      end

      # A request that failed.
      #: (String, Integer?, Exception?) -> void
      def note_error(path, status, error)
        place = own_line(error.backtrace.to_a) if error
        note(:error, path: path, status: status, error: error && described(error), place: place)
      end

      # places: the stack of the call.
      #: (Array[Thread::Backtrace::Location]) -> void
      def note_unsafe(places)
        place = places.find { |location| Examiner.foreign?(location) }
        place = nil if places.first.absolute_path.to_s.end_with?("/coppice/worker.rb") # a preset's answer
        presets = place ? [] : loaded_presets.select { |preset| unsafe?(preset) }.map(&:name)
        note(:unsafe, place: line_of(place), presets: presets)
      end

      # place: where it was forked.
      #: (Thread::Backtrace::Location?) -> void
      def note_stray_copy(place)
        note(:stray_copy, place: line_of(place))
      end

      private

      # As the promotion takes it.
      def unsafe?(preset)
        preset.calls_for(Presets.activated_version(preset))[:unsafe]&.call
      rescue Unguarded
        false
      rescue UserCodeError
        true
      end

      def line_of(place) = place && short("#{place.absolute_path || place.path}:#{place.lineno}")

      def note(event, **fields) = @journal.note(event, role: @role, generation: @generation, **fields)

      def note_process(process)
        @role = process.worker? ? :worker : :mold
        @generation = process.generation
        @forked = false
      end

      def examine
        findings.each { |finding| note(:finding, **finding.to_h, place: place_of(finding)) }
        note_libraries
        note(:examined)
        yield if block_given?
      rescue StandardError => error # from the application's objects
        note(:failure, step: "audit", message: "#{described(error)} #{Log::Text.valid(error.backtrace.first)}")
      end

      # Messages may be in any encoding.
      def described(error) = "#{Log::Text.valid(error.message)[0, 300]} (#{error.class})"

      def note_libraries
        Presets.activated.each { |preset| note_library(preset, Presets.activated_version(preset)) }
        Coppice.fork_callbacks.blocks.each do |block|
          @journal.note(:block, **block, place: block[:place] && short(block[:place]))
        end
      end

      def note_library(preset, version)
        unguarded = preset.unguarded?(version)
        return unless unguarded || preset.loaded?

        @journal.note(:library, name: preset.name, version: version, used: unguarded || preset.used?,
          unguarded: unguarded)
      end

      def prepare_for_fork
        @forked = true
        @censuses << ForkSafety::ThreadCensus.take
        @inherited = ForkSafety::OpenDescriptors.links
      end

      def findings
        heap = ForkSafety::HeapAudit.new.findings
        return heap unless @role == :worker && @inherited

        present = ForkSafety::ThreadCensus.entries_of
        heap + ForkSafety::SharedDescriptors.new(@inherited).findings + files_with_pid +
          ForkSafety::Audit.compare(@censuses.map(&:still_alive), present)
      end

      # Files that carry the pid of this process in their name: each generation of workers leaves its own. And those
      # with the pid of an ancestor, which the application keeps.
      def files_with_pid
        paths = ForkSafety::OpenDescriptors.links.values.grep(%r{\A/(?!dev/|proc/|memfd:)}).grep_v(/ \(deleted\)\z/)
        files_with(paths, [Process.pid], :file_per_process) + files_with(paths, @censuses.map(&:pid), :kept_file)
      end

      # A Tempfile has a random number after the pid.
      def files_with(paths, pids, kind)
        pid = /(?<!\d)(?:#{pids.join('|')})(?!\d)(-[0-9a-z]+)?/
        files = paths.filter { |path| File.basename(path).match?(pid) }
        files.map { |path| ForkSafety::Finding.new(kind, short(path.gsub(pid, "PID"))) }.uniq
      end

      def loaded_presets = Presets.activated.select(&:loaded?)

      # Where the object of a descriptor was made.
      def place_of(finding)
        number = finding.detail.to_s[/\Adescriptor (\d+)/, 1]
        return finding.owner[/\S+:\d+\z/] unless number

        io = ObjectSpace.each_object(IO).find { |one| !one.closed? && one.autoclose? && one.fileno == number.to_i }
        file = ObjectSpace.allocation_sourcefile(io) if io
        short("#{file}:#{ObjectSpace.allocation_sourceline(io)}") if file
      end

      # The line that raised, or the first one of the application.
      def own_line(backtrace)
        frames = Log::Text.frames(backtrace)
        folder = Log::Text.valid(Dir.pwd)
        line = frames.find { |frame| frame.start_with?(folder) && !frame.include?("/gems/") } || frames.first
        line && short(line[/\A.*?:\d+/] || line)
      end

      def short(place) = ForkSafety::Finding.short_place(place)
    end
  end
end
