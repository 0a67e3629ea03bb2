# frozen_string_literal: true

require "coppice/config/types"
require "coppice/listeners/address"

module Coppice
  module Config
    module Types
      # Addresses to listen on. Takes one value or a list; kept as a frozen Array of Listeners::Address.
      class Addresses < Type
        def description = "addresses: #{Listeners::AddressParser::FORMS}"

        #: (untyped) -> Array[Listeners::Address]
        def check(value)
          [value].flatten.map { |one| one.is_a?(Listeners::Address) ? one : Listeners::Address.parse(one) }.freeze
        end
      end
    end
  end
end
