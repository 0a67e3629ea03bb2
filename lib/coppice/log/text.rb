# frozen_string_literal: true

module Coppice
  class Log
    # Makes any value a piece of valid UTF-8 text: what applications and clients hand us may be in any encoding, or broken.
    module Text
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
