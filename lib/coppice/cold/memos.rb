# frozen_string_literal: true

require "coppice/cold/owner"

module Coppice
  module Cold
    # What classes and modules began to remember between `start` and `stop`: their instance variables that were nil or
    # not there before, as after `@rates ||= …`.
    class Memos
      # bytes: of the retained objects that can be reached from it; file and line: of its module, nil for one in C.
      Memo = Struct.new(:name, :bytes, :file, :line, keyword_init: true)

      VARIABLES = Kernel.instance_method(:instance_variables)
      GET = Kernel.instance_method(:instance_variable_get)
      NOTHING = [].freeze

      def start #: () -> void
        @before = look
      end

      def stop #: () -> void
        @new = look.flat_map { |owner, names| (names - @before.fetch(owner, NOTHING)).map { |name| [owner, name] } }
      end

      # The largest first.
      #: (RetainedObjects) -> Array[Memo]
      def found(retained)
        memos = @new.map { |owner, name| memo(Owner.new(owner), name, retained.bytes_behind(GET.bind_call(owner, name))) }
        memos.sort_by { |memo| [-memo.bytes, memo.name] }
      end

      private

      def look
        ObjectSpace.each_object(Module).each_with_object({}.compare_by_identity) do |owner, seen|
          seen[owner] = VARIABLES.bind_call(owner).reject { |name| nil.equal?(GET.bind_call(owner, name)) }
        end
      end

      def memo(owner, name, bytes)
        file, line = owner.place
        Memo.new(name: "#{owner.variable_prefix}#{name}", bytes: bytes, file: file, line: line)
      end
    end
  end
end
