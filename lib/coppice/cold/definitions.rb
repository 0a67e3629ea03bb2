# frozen_string_literal: true

require "coppice/cold/owner"

module Coppice
  module Cold
    # The methods and constants that came to be between `start` and `stop`: the difference of two looks at every module.
    # One that was defined again under the same name is not seen.
    class Definitions
      # names: of methods or of constants; file and line: where the first of them was defined, nil for C.
      Group = Struct.new(:owner, :names, :file, :line, keyword_init: true)

      # Modules may have methods of these names that do something else.
      METHODS = Module.instance_method(:instance_methods)
      PRIVATE_METHODS = Module.instance_method(:private_instance_methods)
      METHOD = Module.instance_method(:instance_method)
      CONSTANTS = Module.instance_method(:constants)
      AUTOLOAD = Module.instance_method(:autoload?)
      PLACE = Module.instance_method(:const_source_location)
      NOTHING = [[].freeze, [].freeze].freeze

      def start #: () -> void
        @before = look
      end

      def stop #: () -> void
        @new = look.filter_map do |owner, names|
          added = names.zip(@before.fetch(owner, NOTHING)).map { |now, before| now - before }
          [Owner.new(owner), *added] unless added.all?(&:empty?)
        end
      end

      def methods #: () -> Array[Group]
        groups { |owner, methods| located(owner.prefix, methods) { |name| METHOD.bind_call(owner.module, name).source_location } }
      end

      def constants #: () -> Array[Group]
        groups { |owner, _, constants| located(owner.scope, constants) { |name| PLACE.bind_call(owner.module, name, false) } }
      end

      private

      def look
        ObjectSpace.each_object(Module).each_with_object({}.compare_by_identity) do |owner, seen|
          seen[owner] = [METHODS.bind_call(owner, false) + PRIVATE_METHODS.bind_call(owner, false), constants_of(owner)]
        end
      end

      # One that waits for its autoload is listed by Ruby, but not there yet.
      def constants_of(owner)
        CONSTANTS.bind_call(owner, false).reject { |name| AUTOLOAD.bind_call(owner, name, false) }
      end

      # One for each owner and file; modules without a name are one owner.
      def groups
        found = @new.flat_map { |added| yield(*added) }
        found.group_by { |owner, _, (file, _)| [owner, file] }.map do |(owner, file), same|
          Group.new(owner: owner, names: same.map { |_, name, _| name }.uniq, file: file, line: same.first.last&.last)
        end
      end

      # Ruby says false for the file of a constant that C has set, nil or nothing for a method.
      def located(label, names)
        names.map do |name|
          place = yield(name)
          [label, name, (place if place&.first)]
        end
      end
    end
  end
end
