# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    module Types
      # Any object that answers the given messages.
      class Duck < Type
        #: (*Symbol) -> void
        def initialize(*messages)
          @messages = messages.freeze
          freeze
        end

        def description = "an object that answers #{@messages[0..-2].join(', ')} and #{@messages.last}"

        private

        def accepts?(value)
          @messages.all? { |message| value.respond_to?(message) }
        end
      end
    end
  end
end
