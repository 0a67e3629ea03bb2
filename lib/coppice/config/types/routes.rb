# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    module Types
      # Limits for paths, in the order of their lines. Each is kept as a frozen Array of plain values, which travel to
      # the workers: :path and a path or :regexp and the text of a Regexp, then the seconds.
      class RouteTimeouts < Type
        SECONDS = Seconds.new

        def description = "a path such as \"/exports\" or a Regexp, and #{SECONDS.description}"

        #: (untyped) -> Array[[Symbol, String, Numeric]]
        def check(value)
          value.is_a?(Array) ? value.map { |pattern, seconds| row(pattern, seconds) }.freeze : refuse(value)
        end

        private

        def row(pattern, seconds)
          refuse([pattern, seconds]) unless SECONDS.accepts?(seconds)
          case pattern
          when Regexp then [:regexp, pattern.to_s.freeze, seconds].freeze
          when %r{\A/} then [:path, pattern.dup.freeze, seconds].freeze
          else refuse([pattern, seconds])
          end
        end
      end
    end
  end
end
