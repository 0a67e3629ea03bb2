# frozen_string_literal: true

require "coppice/presets"

module Coppice
  module ForkSafety
    # Finds the sockets of clients that compare the pid each time they are used: in a copy they drop the socket unused,
    # and connect again. Their presets name the classes. Walks over the heap.
    module ReconnectingClients
      DEPTH = 3 # instance variables between such an object and the socket

      class << self
        #: () -> Array[Integer]
        def descriptors
          types = Presets.activated.flat_map(&:reconnecting).filter_map { |name| Preset.loaded_constant(name) }
          holders = types.flat_map { |type| ObjectSpace.each_object(type).to_a }
          holders.flat_map { |holder| descriptors_in(holder, DEPTH) }.uniq
        end

        private

        def descriptors_in(object, depth)
          return [object.to_io.fileno] if object.respond_to?(:to_io)
          return [] if depth.zero?

          object.instance_variables.flat_map do |name|
            descriptors_in(object.instance_variable_get(name), depth - 1)
          end
        rescue IOError
          [] # it is closed
        end
      end
    end
  end
end
