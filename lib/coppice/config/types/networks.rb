# frozen_string_literal: true

require "ipaddr"
require "coppice/config/types"

module Coppice
  module Config
    module Types
      # Addresses and networks, such as "10.0.0.0/8". Kept as frozen texts: whoever matches them builds the IPAddr.
      class Networks < Type
        def description = 'a list of addresses or networks, such as ["127.0.0.1", "10.0.0.0/8", "::1"]'
        def placeholder = "NETWORK,…"

        #: (untyped) -> Array[String]
        def check(value)
          networks = [value].flatten
          return refuse(value) unless networks.all? { |network| network?(network) }

          networks.map { |network| -network.strip }.freeze
        end

        #: (String) -> Array[String]
        def parse(text)
          check(text.split(","))
        end

        private

        def network?(value)
          value.is_a?(String) && IPAddr.new(value.strip) && true
        rescue IPAddr::Error
          false
        end
      end
    end
  end
end
