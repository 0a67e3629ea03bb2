# frozen_string_literal: true

require "coppice/log/text"

module Coppice
  module Cold
    # Plain data with valid UTF-8 in place of each of its texts: otherwise they cannot always be compared, joined and
    # written as JSON. Texts of an application may be malformed or in any encoding. Paths are in that of the locale, and
    # those that ObjectSpace returns are binary.
    module ValidText
      # Symbols are names of methods and constants, which have the encoding of their file.
      #: (untyped) -> untyped
      def self.of(value)
        case value
        when String, Symbol then Log::Text.valid(value)
        when Array then value.map { |inner| of(inner) }
        when Hash then value.transform_values { |inner| of(inner) }
        when Struct then value.class.new(**of(value.to_h))
        else value
        end
      end
    end
  end
end
