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
  end
end
