# frozen_string_literal: true

require "coppice/fork_safety/preset"
require "coppice/fork_safety/weak_set"
require "coppice/presets"

module Coppice
  module Child
    # The objects with finalizers of which other processes have copies. Their finalizers must not run when this process
    # exits: they remove a temporary file, end a program or free what native threads work on, and other processes still
    # use it. An object that was made before the fork belongs to the process that made it. One that was handed on to the
    # mold is no longer a promoted worker's alone (docs/decisions/0020-finalizers-of-shared-objects-do-not-run.md).
    class SharedFinalizers
      # Of their keys and values, or they return what is garbage: nothing may be collected once these are undefined.
      WEAK_MAPS_NEED_FINALIZERS = RUBY_VERSION.start_with?("3.1", "3.2")

      def initialize
        @pid = Process.pid
        @inherited = ForkSafety::WeakSet.new
        @handed_on = ForkSafety::WeakSet.new
      end

      # Called right before a fork.
      #: (Array[untyped]) -> void
      def note(objects)
        inherit unless own?
        objects.each { |object| @handed_on.add(object) unless @inherited.include?(object) }
      end

      # Called when this process exits, after the handlers of at_exit. copies_exit: whether the processes that were
      # forked from it exit as well: then what it has made ends with it. Otherwise garbage is collected first: its
      # finalizers run, such as that of a request's temporary file.
      #: (copies_exit: bool) -> void
      def undefine(copies_exit:)
        handed_on = !copies_exit || !own?
        GC.start if own? && handed_on && !@handed_on.empty?
        GC.disable if WEAK_MAPS_NEED_FINALIZERS
        undefine_all(@inherited.to_a + (handed_on ? @handed_on.to_a : []))
      end

      private

      # Otherwise nothing was noted since the fork that has made this process.
      def own? = @pid == Process.pid

      def inherit
        @handed_on.to_a.each { |object| @inherited.add(object) }
        @handed_on = ForkSafety::WeakSet.new
        @pid = Process.pid
      end

      def undefine_all(objects)
        flushed = flushed_kinds
        objects.each do |object|
          ObjectSpace.undefine_finalizer(object) unless flushed.any? { |kind| kind === object }
        rescue FrozenError
          next # it was frozen later on: nobody can undefine it
        end
      end

      def flushed_kinds
        Presets.activated.flat_map(&:flushed).filter_map { |name| ForkSafety::Preset.loaded_constant(name) }
      end
    end
  end
end
