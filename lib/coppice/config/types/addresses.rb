# frozen_string_literal: true

require "ipaddr"
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

      # Addresses and networks, such as "10.0.0.0/8". Kept as frozen texts; http/env_prototype.rb builds the IPAddr
      # objects.
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

      # Paths of the application, with or without a query. Kept as a frozen Array.
      class Paths < Type
        PATH = %r{\A/[!-~]*\z}.freeze # the characters that a request line may contain

        def description = "paths that begin with a slash, percent-encoded where necessary"
        def placeholder = "PATH,PATH,…"

        #: (untyped) -> Array[String]
        def check(value)
          return refuse(value) unless value.is_a?(Array) && !value.empty?

          wrong = value.find { |path| !path.is_a?(String) || !path.match?(PATH) }
          wrong.nil? ? value.map { |path| path.dup.freeze }.freeze : refuse(wrong)
        end

        #: (String) -> Array[String]
        def parse(text)
          check(text.split(","))
        end
      end
    end
  end
end
