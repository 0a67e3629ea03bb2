# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    module Types
      # Paths of the application, with a query or without. Kept as a frozen Array.
      class Paths < Type
        PATH = %r{\A/[!-~]*\z}.freeze # what may stand in a request line

        def description = "paths that begin with a slash, percent-encoded where need be"
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
