# frozen_string_literal: true

require "coppice/tools/cold/watchers/module_label"

module Coppice
  module Cold
    # The methods and constants that were defined between `start` and `stop`: the difference of two snapshots of all
    # modules. A redefinition under the same name is not seen.
    class Definitions
      # names: of methods or of constants; file and line: where the first of them was defined, nil for C.
      Group = Struct.new(:owner, :names, :file, :line, keyword_init: true)

      # Modules of the application may redefine methods of these names.
      METHODS = Module.instance_method(:instance_methods)
      PRIVATE_METHODS = Module.instance_method(:private_instance_methods)
      METHOD = Module.instance_method(:instance_method)
      CONSTANTS = Module.instance_method(:constants)
      AUTOLOAD = Module.instance_method(:autoload?)
      SOURCE_LOCATION = Module.instance_method(:const_source_location)
      NOTHING = [[].freeze, [].freeze].freeze

      def start #: () -> void
        @before = snapshot
      end

      def stop #: () -> void
        @new = snapshot.filter_map do |owner, names|
          added = names.zip(@before.fetch(owner, NOTHING)).map { |now, before| now - before }
          [ModuleLabel.new(owner), *added] unless added.all?(&:empty?)
        end
      end

      def methods #: () -> Array[Group]
        groups do |owner, methods|
          located(owner.prefix, methods) { |name| METHOD.bind_call(owner.module, name).source_location }
        end
      end

      def constants #: () -> Array[Group]
        groups do |owner, _, constants|
          located(owner.scope, constants) { |name| SOURCE_LOCATION.bind_call(owner.module, name, false) }
        end
      end

      private

      def snapshot
        ObjectSpace.each_object(Module).each_with_object({}.compare_by_identity) do |owner, seen|
          seen[owner] = [METHODS.bind_call(owner, false) + PRIVATE_METHODS.bind_call(owner, false), constants_of(owner)]
        end
      end

      # Module#constants also lists constants that are not autoloaded yet.
      def constants_of(owner)
        CONSTANTS.bind_call(owner, false).reject { |name| AUTOLOAD.bind_call(owner, name, false) }
      end

      # One group for each owner and file; all modules without a name are one owner.
      def groups
        found = @new.flat_map { |added| yield(*added) }
        found.group_by { |owner, _, (file, _)| [owner, file] }.map do |(owner, file), same|
          Group.new(owner: owner, names: same.map { |_, name, _| name }.uniq, file: file, line: same.first.last&.last)
        end
      end

      # For what C has defined, Ruby returns false as the file of a constant, and nil for a method.
      def located(label, names)
        names.map do |name|
          location = yield(name)
          [label, name, (location if location&.first)]
        end
      end
    end
  end
end
