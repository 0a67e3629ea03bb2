# frozen_string_literal: true

module Coppice
  class Monitor
    # Children for which a condition holds, such as all workers that are ready, in the order in
    # which they joined. It looks at a child when that child has changed, and at no other: there may be a thousand.
    class Group
      # all: the group of all children; basis: returns what the condition depends on besides the child. Once that has
      # changed, the next question looks at all children.
      #: (?all: Group?, ?basis: (^() -> untyped)?) { (Handle) -> boolish } -> void
      def initialize(all: nil, basis: nil, &condition)
        @all = all
        @basis = basis
        @condition = condition
        @members = {}.compare_by_identity
      end

      # A child was added, or has changed.
      #: (Handle) -> void
      def look(handle)
        return forget(handle) unless @condition.call(handle)
        return if @members.key?(handle)

        @members[handle] = true
        @list = nil
      end

      #: (Handle) -> void
      def forget(handle)
        @list = nil if @members.delete(handle)
      end

      #: () -> Array[Handle]
      def to_a
        members = self.members
        @list ||= members.keys.freeze
      end

      #: () -> Integer
      def size = members.size

      #: () -> bool
      def empty? = members.empty?

      #: (Handle) -> bool
      def include?(handle) = members.key?(handle)

      private

      def members
        @all.to_a.each { |handle| look(handle) } if basis_changed?
        @members
      end

      def basis_changed?
        return false unless @basis

        before, @looked_with = @looked_with, @basis.call
        before != @looked_with
      end
    end
  end
end
