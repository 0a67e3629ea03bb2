# frozen_string_literal: true

require "ipaddr"
require "coppice/config/maximum"
require "coppice/config/types"
require "coppice/listeners/address"

module Coppice
  module Config
    module Types
      # Addresses to listen on. Takes one value or a list of at least one; kept as a frozen Array of Listeners::Address.
      class Addresses < Text
        def description = "addresses: #{Listeners::AddressParser::FORMS}"
        def list? = true

        #: (untyped) -> Array[Listeners::Address]
        def check(value)
          values = [value].flatten
          return refuse(value) if values.empty?

          values.map { |one| one.is_a?(Listeners::Address) ? one : Listeners::Address.parse(one) }.freeze
        end
      end

      # The path of a Unix socket. Kept as an absolute path.
      class SocketPath < Text
        def description = "the path of a socket"
        def placeholder = "PATH"

        #: (untyped) -> String
        def check(value)
          return refuse(value) unless value.is_a?(String) && !value.empty?

          Listeners::Address.parse("unix:#{value.delete_prefix('unix:')}").path
        end
      end

      # Addresses and networks, such as "10.0.0.0/8". Kept as frozen texts in the one form that the lobby reads;
      # listeners/trusted_proxies.rb builds the IPAddr objects.
      class Networks < Type
        # Loopback and the private networks, where the user's own proxies are.
        PRIVATE = %w[
          127.0.0.0/8 ::1 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fe80::/10
        ].freeze

        def description
          %(a list of at most #{Maximum::NETWORKS} addresses or networks, such as ["127.0.0.1", "10.0.0.0/8", "::1"])
        end

        def placeholder = "NETWORK,…"
        def list? = true

        #: (untyped) -> Array[String]
        def check(value)
          networks = [value].flatten.map { |network| canonical(network) || refuse(network) }
          networks.size <= Maximum::NETWORKS ? networks.freeze : refuse("#{networks.size} of them")
        end

        #: (String) -> Array[String]
        def parse(text)
          check(text.split(","))
        end

        private

        # "10.0.0.0/255.0.0.0" and "[::1]" are networks as well. nil for what is none, or names an interface.
        def canonical(value)
          return unless value.is_a?(String) && !value.include?("%")

          network = without_mapping(IPAddr.new(value.strip))
          network.prefix == (network.ipv4? ? 32 : 128) ? -network.to_s : -"#{network}/#{network.prefix}"
        rescue IPAddr::Error
          nil
        end

        # "::ffff:10.0.0.0/104" is "10.0.0.0/8": clients of IPv4 have no other address.
        def without_mapping(network)
          network.ipv4_mapped? ? IPAddr.new("#{network.native}/#{network.prefix - 96}") : network
        end
      end

      # Paths of the application, with or without a query. Kept as a frozen Array.
      class Paths < Type
        PATH = %r{\A/[!-~]*\z}.freeze # the characters that a request line may contain
        LEARNED = :learned # stands for the paths that clients request most, see LearnedPaths

        def description = "paths that begin with a slash, percent-encoded where necessary, or :learned"
        def placeholder = "PATH,PATH,…"

        #: (untyped) -> Array[String | Symbol]
        def check(value)
          return refuse(value) unless value.is_a?(Array) && !value.empty?

          wrong = value.find { |path| path != LEARNED && !(path.is_a?(String) && path.match?(PATH)) }
          wrong.nil? ? value.map { |path| path.dup.freeze }.freeze : refuse(wrong)
        end

        #: (String) -> Array[String | Symbol]
        def parse(text)
          check(text.split(",").map { |path| path == LEARNED.name ? LEARNED : path })
        end
      end
    end
  end
end
