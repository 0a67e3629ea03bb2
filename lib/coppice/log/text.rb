# frozen_string_literal: true

module Coppice
  class Log
    # Makes valid UTF-8 text of any value: what comes from applications and clients may be in any encoding, or
    # malformed.
    module Text
      # Control characters, those that reorder or break a line when shown, and what would end a quoted value.
      UNSAFE = /[\p{Cntrl}"\\\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/

      # Those of them that have a short form, in JSON as elsewhere.
      ESCAPES = { "\n" => '\n', "\r" => '\r', "\t" => '\t', '"' => '\"', "\\" => "\\\\" }.freeze

      def self.utf8(value) #: (untyped) -> String
        text = value.to_s
        return text if text.encoding == Encoding::UTF_8
        return text.dup.force_encoding(Encoding::UTF_8) if text.ascii_only? || text.encoding == Encoding::BINARY

        text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
      rescue EncodingError # an encoding that Ruby cannot convert from
        text.b.force_encoding(Encoding::UTF_8)
      end
    end
  end
end
