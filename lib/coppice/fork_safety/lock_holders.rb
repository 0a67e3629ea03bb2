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

      #: (?Array[Thread]) -> void
      def initialize(threads = Thread.list - [Thread.current])
        @places = threads.to_h { |thread| [thread, places(thread)] }
      end

      # For people: the threads inside of a `synchronize` in this file, or in another one of its gem. nil for none.
      #: (String) -> String?
      def of(file)
        file = Log::Text.valid(file)
        gem = Finding.gem_of(file)
        texts = @places.filter_map do |thread, places|
          place = places.find { |path, _| path == file || (gem && Finding.gem_of(path) == gem) }
          "#{name(thread)} (in #{Finding.short_place(place.join(':'))})" if place
        end
        "probably held by the thread #{texts.join(' or ')}" unless texts.empty?
      end

      private

      # The calls of `synchronize`, as files and lines.
      def places(thread)
        inside = false
        thread.backtrace_locations.to_a.filter_map do |frame|
          inside ||= CALLS.include?(frame.base_label)
          next if !inside || own?(frame)

          inside = false
          [Log::Text.valid(frame.absolute_path || frame.path), frame.lineno]
        end
      end

      # Older versions of Ruby give a method in C the place of its caller, newer ones an internal place at times.
      def own?(frame) = frame.path == OF_RUBY || frame.path.start_with?("<internal:")

      def name(thread)
        place = Log::Text.valid(thread.inspect)[/(\S+:\d+) \w+>\z/, 1]
        name = Log::Text.valid(thread.name) if thread.name
        [name, (Finding.short_place(place) if place)].compact.join(" ")
      end
    end
  end
end
