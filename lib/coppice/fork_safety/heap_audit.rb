# frozen_string_literal: true

require "monitor"
require "rbconfig"
require "coppice/fork_safety/finding"
require "coppice/fork_safety/lock_holders"

module Coppice
  module ForkSafety
    # Looks for objects of this process that a fork would break. It walks over the whole heap, so it is not for a
    # process that serves. Run it in the process that is about to fork: in the copy Ruby has unlocked what dead threads
    # held, and nothing shows what was locked.
    #
    # Ruby tells where an object was made if ObjectSpace.trace_object_allocations_start was called before. Then objects
    # that were made earlier, or by Coppice or Ruby's own library, are left out.
    class HeapAudit
      # Binary, as the paths of ObjectSpace.
      OTHERS = [File.expand_path("..", __dir__), RbConfig::CONFIG["rubylibdir"]].map(&:b).freeze

      #: () -> Array[Finding]
      def findings = locks + generators + queues

      private

      def locks
        mutexes = objects(Thread::Mutex).select { |mutex| mutex.locked? && !mutex.owned? }
        monitors = objects(::Monitor).select { |lock| lock.mon_locked? && !lock.mon_owned? }
        locks = mutexes + monitors
        return [] if locks.empty?

        holders = LockHolders.new
        locks.map { |lock| finding(:locked, lock, file_of(lock)&.then { |file| holders.of(file) }) }
      end

      # Not the generator of Kernel#rand and Random.rand, which gets a new seed in each copy.
      def generators = objects(Random).map { |object| finding(:copied_random, object) }

      def queues
        filled = objects(Thread::Queue).reject(&:empty?)
        filled.map { |queue| finding(:copied_queue, queue, "number of objects in it: #{queue.size}") }
      end

      def objects(type) = ObjectSpace.each_object(type).select { |object| of_application?(object) }

      def finding(kind, object, detail = nil)
        Finding.new(kind, [object.class.name, place_of(object)].compact.join(" "), detail)
      end

      def of_application?(object)
        return true unless traced?

        file = ObjectSpace.allocation_sourcefile(object)
        !file.nil? && OTHERS.none? { |folder| file.start_with?("#{folder}/") && !file.include?("/gems/") }
      end

      def traced?
        return @traced if defined?(@traced)

        probe = Object.new
        @traced = ObjectSpace.respond_to?(:allocation_sourcefile) && !ObjectSpace.allocation_sourcefile(probe).nil?
      end

      def place_of(object)
        file = file_of(object)
        Finding.short_place("#{file}:#{ObjectSpace.allocation_sourceline(object)}") if file
      end

      def file_of(object)
        ObjectSpace.allocation_sourcefile(object) if ObjectSpace.respond_to?(:allocation_sourcefile)
      end
    end
  end
end
