# frozen_string_literal: true

module Coppice
  module Cold
    # A module, as a person would write it before the name of its method. It asks the module nothing that the
    # application can define: `inspect` of an Active Record class connects to the database.
    class Owner
      NAME = Module.instance_method(:name)
      PLACE = Module.instance_method(:const_source_location)
      CLASS = Kernel.instance_method(:singleton_class)

      attr_reader :module #: Module

      #: (Module) -> void
      def initialize(mod)
        @module = mod
      end

      # `Product#`, `Product.` for its singleton class, `one Product.` for that of one of its objects.
      def prefix #: () -> String
        return "#{named(@module)}#" unless @module.singleton_class?
        return "one #{named(@module.superclass)}." unless @module <= Module

        "#{named(attached)}."
      end

      # What stands before a constant.
      def scope #: () -> String
        @module == Object ? "" : "#{prefix.chop}::"
      end

      # What stands before its own instance variable.
      def variable_prefix #: () -> String
        @module.singleton_class? ? "the singleton class of #{prefix}" : "#{named(@module)}."
      end

      # File and line where it was first opened; nil for one in C or without a name.
      def place #: () -> [String, Integer]?
        name = NAME.bind_call(@module)
        place = PLACE.bind_call(Object, name) if name
        place if place&.first # Ruby says false for what C has set
      rescue NameError # a name that does not lead to it any more
        nil
      end

      private

      def named(mod)
        NAME.bind_call(mod) || "a #{mod.is_a?(Class) ? 'class' : 'module'} without a name"
      end

      # Ruby can tell since 3.2. Before, the heap is searched.
      def attached
        return @module.attached_object if @module.respond_to?(:attached_object)

        ObjectSpace.each_object(@module).find { |object| CLASS.bind_call(object).equal?(@module) }
      end
    end
  end
end
