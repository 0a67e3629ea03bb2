# frozen_string_literal: true

module Coppice
  module Cold
    # The name of a module in front of the name of a method or constant. Calls no method that the application can
    # define: `inspect` of an Active Record class connects to the database.
    class ModuleLabel
      NAME = Module.instance_method(:name)
      SOURCE_LOCATION = Module.instance_method(:const_source_location)
      CLASS = Kernel.instance_method(:singleton_class)

      attr_reader :module #: Module

      #: (Module) -> void
      def initialize(mod)
        @module = mod
      end

      # `Product#`, `Product.` for its singleton class, `one Product.` for the singleton class of one of its objects.
      def prefix #: () -> String
        return "#{named(@module)}#" unless @module.singleton_class?
        return "one #{named(@module.superclass)}." unless @module <= Module

        "#{named(attached)}."
      end

      # The prefix of a constant.
      def scope #: () -> String
        @module == Object ? "" : "#{prefix.chop}::"
      end

      # The prefix of the module's own instance variable.
      def variable_prefix #: () -> String
        @module.singleton_class? ? "the singleton class of #{prefix}" : "#{named(@module)}."
      end

      # File and line where the module was first opened; nil for one in C or without a name.
      def source_location #: () -> [String, Integer]?
        name = NAME.bind_call(@module)
        location = SOURCE_LOCATION.bind_call(Object, name) if name
        location if location&.first # Ruby returns false for a constant that C has set
      rescue NameError # the name does not lead to the module any more
        nil
      end

      private

      def named(mod)
        NAME.bind_call(mod) || "a #{mod.is_a?(Class) ? 'class' : 'module'} without a name"
      end

      # Ruby has a method for it since 3.2. Before, the heap is searched.
      def attached
        return @module.attached_object if @module.respond_to?(:attached_object)

        ObjectSpace.each_object(@module).find { |object| CLASS.bind_call(object).equal?(@module) }
      end
    end

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
