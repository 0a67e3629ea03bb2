# frozen_string_literal: true

require "coppice/fork_safety/finding"
require "coppice/fork_safety/native_threads"
require "coppice/log/text"
require "coppice/presets"

module Coppice
  module ForkSafety
    # The threads of a process that is about to fork: those of Ruby, none of which exists in the copy, and those that
    # native libraries have started, whose locks the copy inherits as they are. Holds texts and numbers only, so that it
    # keeps no thread's objects in memory.
    class ThreadCensus
      # place: the file and line where a Ruby thread was started; nil if the kernel or C code has no such place.
      Entry = Struct.new(:name, :place, :native_id) do
        # What is the same in a thread that was started again.
        #: () -> String
        def key = place || name

        # Where it was started, without the line.
        #: () -> String?
        def file = place && place[/\A(.+):\d+\z/, 1]
      end

      COPPICE = Log::Text.valid(File.expand_path("..", __dir__))
      # Set on threads that need not survive a fork: by convention, and by Ruby's own libraries.
      FORK_SAFE = [:fork_safe, :coppice_client, :"\0__detached_thread__"].freeze
      # Ruby names its native threads by file and line, cut to 15 bytes with a * at the end, unless the program does.
      NAMED_BY_RUBY = /(?::\d+|\*)\z/.freeze
      NAME_BYTES = 15 # the kernel keeps no more of a thread's name
      # Whether a native thread outlives its Ruby thread for three seconds, with its name, for a new one to take over.
      KEEPS_NATIVE_THREADS = RUBY_VERSION.start_with?("3.1", "3.2")
      SETTLING_TIME = 0.005 # seconds
      # The thread by which Ruby 3.3 and newer waits for time to pass.
      TIMER_THREADS = KEEPS_NATIVE_THREADS ? 0 : 1
      HARMLESS = %w[jemalloc_bg_thd].freeze # its library handles forks

      class << self
        # Of the calling process.
        #: () -> ThreadCensus
        def take
          threads = Thread.list
          new(Process.pid, entries_of(threads), native_entries(threads), ractors: Ractor.count - 1)
        end

        # Makes the audit overlook these threads: they serve a client, which stays with this process.
        #: (Array[Thread]) -> void
        def exempt(threads) = threads.each { |thread| thread.thread_variable_set(:coppice_client, true) }

        # The threads of this process that a copy of it would miss.
        #: (?Array[Thread]) -> Array[Entry]
        def entries_of(threads = Thread.list)
          (threads - [Thread.main]).filter_map do |thread|
            name = thread.name && Log::Text.valid(thread.name)
            entry = Entry.new(name, place_of(thread, name), thread.native_thread_id)
            entry unless FORK_SAFE.any? { |mark| thread.thread_variable_get(mark) } || handled?(entry.place.to_s)
          end
        end

        # The native threads of this process that are not among these of Ruby. One of Ruby's that has not begun to run
        # has no id; its native thread has the name that the program gave it, or none yet. The main thread has the id of
        # the process; Ruby 3.1 returns that of its parent.
        #: (Array[Thread]) -> Array[Entry]
        def native_entries(threads)
          ids = threads.map(&:native_thread_id)
          others = NativeThreads.ids - ids - [Process.pid]
          return [] if others.empty?

          waiting = threads.zip(ids).filter_map { |thread, id| as_kept(thread.name) unless id }
          entries = others.filter_map { |id| native_entry(id) }
          foreign(entries.reject { |entry| waiting.include?(entry.name) },
            unnamed_by_ruby: waiting.size + TIMER_THREADS)
        end

        # Whether this is a native thread that nobody has named: it has the name of the process.
        #: (Entry) -> bool
        def unnamed?(entry) = entry.place.nil? && entry.name == process_name

        private

        def place_of(thread, name)
          text = Log::Text.valid(thread.inspect).sub(/\A#<[^>]*?0x\h+/, "").delete_prefix("@#{name}")
          text[/\A (.+:\d+) \w+>\z/, 1]
        end

        def handled?(place) = place.start_with?("#{COPPICE}/") || restarted?(Finding.gem_of(place))

        # Active Record marks its thread as fork-safe as well, but only once the thread runs.
        def restarted?(gem) = !gem.nil? && Presets.activated.any? { |preset| preset.restarts.include?(gem) }

        def native_entry(id)
          name = NativeThreads.name_of(id)
          Entry.new(as_kept(name), nil, id) if name
        end

        def foreign(entries, unnamed_by_ruby:)
          entries = entries.reject { |entry| entry.name.match?(NAMED_BY_RUBY) || HARMLESS.include?(entry.name) }
          entries = without_ended(entries) if KEEPS_NATIVE_THREADS
          unnamed, named = entries.partition { |entry| entry.name == process_name }
          unknown = unnamed.drop(unnamed_by_ruby)
          unknown = unknown.drop(restarted_natives) unless unknown.empty?
          named + unknown
        end

        # Those without names that their libraries start again.
        def restarted_natives
          Presets.activated.select { |preset| preset.restarted_natives && preset.loaded? }
                 .sum { |preset| preset.restarted_natives.call }
        end

        # Without those whose Ruby thread has ended. One that ended just now can be taken over only a little later.
        def without_ended(entries)
          [0, SETTLING_TIME].each do |seconds|
            break if entries.empty?

            Kernel.sleep(seconds)
            kept = take_over(NativeThreads.ids)
            entries = entries.reject { |entry| kept.include?(entry.native_id) }
          end
          entries
        end

        # The native threads among these that Ruby keeps for new threads. A new thread takes over one of them, and gets
        # a native thread of its own only when none is left. So each starts the next one, and waits for it.
        def take_over(ids)
          Thread.new do
            id = Thread.current.native_thread_id
            ids.include?(id) ? [id, *take_over(ids)] : []
          end.value
        end

        # The name of a native thread that nobody has named.
        def process_name = as_kept(File.read("/proc/self/comm").chomp)

        # A name as the kernel keeps it, which may be cut in the middle of a character.
        def as_kept(name) = Log::Text.utf8(name).byteslice(0, NAME_BYTES).scrub
      end

      attr_reader :pid     #: Integer
      attr_reader :threads #: Array[Entry]
      attr_reader :natives #: Array[Entry]
      attr_reader :ractors #: Integer -- that are alive, without the main one

      #: (Integer, Array[Entry], Array[Entry], ?ractors: Integer) -> void
      def initialize(pid, threads, natives, ractors: 0)
        @pid = pid
        @threads = threads
        @natives = natives
        @ractors = ractors
      end

      # The native threads that nobody has named.
      #: () -> Array[Entry]
      def unnamed_natives = natives.select { |entry| ThreadCensus.unnamed?(entry) }

      # The same without the threads that have ended since, such as those of a single request.
      #: () -> ThreadCensus
      def still_alive
        alive = [threads, natives].map { |entries| entries.select { |entry| alive?(entry) } }
        ThreadCensus.new(pid, *alive, ractors: ractors)
      end

      private

      def alive?(entry) = entry.native_id.nil? || File.exist?("/proc/#{pid}/task/#{entry.native_id}")
    end
  end
end
