# frozen_string_literal: true

require "coppice/tools/cold/watchers/module_label"

module Coppice
  module Cold
    # What was memoized between `start` and `stop`: instance variables of classes and modules that were nil or undefined
    # before, as after `@rates ||= …`.
    class Memos
      # bytes: of the retained objects that it keeps alive; file and line: of its module, nil for one in C.
      Memo = Struct.new(:name, :bytes, :file, :line, keyword_init: true)

      VARIABLES = Kernel.instance_method(:instance_variables)
      GET = Kernel.instance_method(:instance_variable_get)
      NOTHING = [].freeze

      def start #: () -> void
        @before = snapshot
      end

      def stop #: () -> void
        @new = snapshot.flat_map { |owner, names| (names - @before.fetch(owner, NOTHING)).map { |name| [owner, name] } }
      end

      # The largest first.
      #: (RetainedObjects) -> Array[Memo]
      def found(retained)
        memos = @new.map do |owner, name|
          memo(ModuleLabel.new(owner), name, retained.bytes_behind(GET.bind_call(owner, name)))
        end
        memos.sort_by { |memo| [-memo.bytes, memo.name] }
      end

      private

      def snapshot
        ObjectSpace.each_object(Module).each_with_object({}.compare_by_identity) do |owner, seen|
          seen[owner] = VARIABLES.bind_call(owner).reject { |name| nil.equal?(GET.bind_call(owner, name)) }
        end
      end

      def memo(owner, name, bytes)
        file, line = owner.source_location
        Memo.new(name: "#{owner.variable_prefix}#{name}", bytes: bytes, file: file, line: line)
      end
    end
  end
end
