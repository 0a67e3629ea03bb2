# frozen_string_literal: true

require "coppice/config/types/addresses"

module Coppice
  module Config
    module Types
      # Addresses as of `listen`, but a port alone is one of 127.0.0.1.
      class AdminAddresses < Addresses
        def placeholder = "ADDRESS"

        #: (untyped) -> Array[Listeners::Address]
        def check(value)
          super([value].flatten.map { |one| one.to_s.match?(/\A\d+\z/) ? "127.0.0.1:#{one}" : one })
        end
      end

      # A text that nobody else may know. It is in no message and in no output.
      class Secret < Type
        FORM = /\A[!-~]{16,}\z/.freeze # what fits into a header

        def description = "16 or more ASCII characters without spaces"
        def secret? = true

        private

        def accepts?(value) = value.is_a?(String) && value.match?(FORM)

        #: (untyped) -> bot
        def refuse(_value) = raise(InvalidValue, "must be #{description}; what it is, is not shown")
      end

      # Names of hosts, without a port. Kept as frozen texts in lower case.
      class HostNames < Type
        NAME = /\A[\w.-]+\z/.freeze

        def description = 'a list of host names without a port, such as ["admin.example.com"]'
        def placeholder = "HOST,…"
        def list? = true

        #: (untyped) -> Array[String]
        def check(value)
          names = [value].flatten
          return refuse(value) unless names.all? { |name| name.is_a?(String) && name.match?(NAME) }

          names.map { |name| -name.downcase }.freeze
        end

        #: (String) -> Array[String]
        def parse(text) = check(text.split(","))
      end
    end
  end
end
