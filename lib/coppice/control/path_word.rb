# frozen_string_literal: true

module Coppice
  module Control
    # A path as one word: a percent sign, spaces and control characters are percent-encoded.
    module PathWord
      #: (String) -> String
      def self.encode(path) = path.b.gsub(/[%\x00-\x20\x7f]/n) { |byte| format("%%%02X", byte.ord) }

      # Raises UsageError.
      #: (String) -> String
      def self.decode(word)
        path = word.b.gsub(/%(\h\h)/) { $1.hex.chr }.force_encoding(Encoding::UTF_8)
        raise UsageError, "a path is absolute, and has no NUL byte" if !path.start_with?("/") || path.include?("\0")

        path
      end
    end
  end
end
