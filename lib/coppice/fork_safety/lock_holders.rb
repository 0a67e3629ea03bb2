# frozen_string_literal: true

require "rbconfig"
require "coppice/fork_safety/finding"
require "coppice/log/text"

module Coppice
  module ForkSafety
    # The threads that may hold a lock. Ruby does not tell whose a Mutex or Monitor is, but a library as a rule locks
    # its own, with `synchronize`: such a thread has that call in its backtrace.
    class LockHolders
      CALLS = %w[synchronize mon_synchronize].freeze
      OF_RUBY = "#{RbConfig::CONFIG['rubylibdir']}/monitor.rb".freeze # which calls one of them for the library
      NAMED = 3 # threads at most

      WAIT_FOR_CONDITION = "Thread::ConditionVariable#wait" # the label of its frame
      OLDER_WAIT_FOR_CONDITION = ["sleep", "wait"].freeze # before Ruby 3.4, with the frame of what it calls

      #: (?Array[Thread]) -> void
      def initialize(threads = Thread.list - [Thread.current])
        @places = threads.to_h { |thread| [thread, places(thread.backtrace_locations.to_a)] }
      end

      # For people: the threads inside of a `synchronize` in this file, or in another one of its gem. nil for none.
      #: (String) -> String?
      def of(file)
        file = Log::Text.valid(file)
        gem = Finding.gem_of(file)
        texts = @places.filter_map do |thread, places|
          place = places.find { |path, _| path == file || (gem && Finding.gem_of(path) == gem) }
          text(thread, Finding.short_place(place.join(":"))) if place
        end
        "probably held by the thread #{list(texts)}" unless texts.empty?
      end

      private

      # The calls of `synchronize` that have a lock, as files and lines. A thread that waits for one has nothing above
      # the call.
      def places(frames)
        inside = false
        frames = frames.drop_while { |frame| !call?(frame) } if waits_for_condition?(frames)
        frames.drop_while { |frame| call?(frame) }.filter_map do |frame|
          inside ||= call?(frame)
          next if !inside || own?(frame)

          inside = false
          [Log::Text.valid(frame.absolute_path || frame.path), frame.lineno]
        end
      end

      # As a rule ConditionVariable#wait releases the innermost lock, by Mutex#sleep, a frame that Ruby 4.0 omits.
      def waits_for_condition?(frames)
        labels = frames.first(2).map(&:label)
        labels.include?(WAIT_FOR_CONDITION) || labels == OLDER_WAIT_FOR_CONDITION
      end

      def call?(frame) = CALLS.include?(frame.base_label)

      # Older versions of Ruby give a method in C the place of its caller, or none, newer ones an internal place at
      # times.
      def own?(frame) = frame.path.nil? || frame.path == OF_RUBY || frame.path.start_with?("<internal:")

      def list(texts)
        more = texts.size - NAMED
        "#{texts.first(NAMED).join(' or ')}#{" and #{more} other#{'s' if more > 1}" if more.positive?}"
      end

      def text(thread, place)
        name = name(thread)
        name.empty? ? "in #{place}" : "#{name} (in #{place})"
      end

      # Threads that C code has started, and the main thread, have no place, and often no name.
      def name(thread)
        place = Log::Text.valid(thread.inspect)[/(\S+:\d+) \w+>\z/, 1]
        name = Log::Text.valid(thread.name) if thread.name
        [name, (Finding.short_place(place) if place)].compact.join(" ")
      end
    end
  end
end
