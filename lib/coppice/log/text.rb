# frozen_string_literal: true

module Coppice
  class Log
    # Makes valid UTF-8 text of any value: what comes from applications and clients may be in any encoding, or
    # malformed.
    module Text
      # Control characters, and those that reorder or break a line when shown.
      CONTROL = /[\p{Cntrl}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/

      # Those, and what would end a quoted value.
      UNSAFE = Regexp.union(CONTROL, /["\\]/)

      # Bytes with a short escape, in JSON as elsewhere.
      ESCAPES = { "\n" => '\n', "\r" => '\r', "\t" => '\t', '"' => '\"', "\\" => "\\\\" }.freeze

      # Of text that says nothing of its encoding. In the C locale Ruby calls paths so, whatever they are in.
      UNNAMED = [Encoding::BINARY, Encoding::US_ASCII].freeze

      SINGLETON = /#<Class:0x\h+>::/.freeze
      private_constant :SINGLETON

      # For a terminal: a question mark in the place of each character that does more than be shown.
      #: (untyped) -> String
      def self.printable(value) = utf8(value).scrub("?").gsub(CONTROL, "?")

      # With U+FFFD in the place of each malformed byte. Only such text can always be compared, joined, matched with a
      # regular expression and written as JSON.
      #: (untyped) -> String
      def self.valid(value) = utf8(value).scrub

      # The frames of a backtrace, valid; none of nil.
      #: (Array[String]?) -> Array[String]
      def self.frames(backtrace) = (backtrace || []).map { |frame| valid(frame) }

      # Without what Ruby puts in front of the name of a module that a configuration file defines, which is in the
      # singleton class of the file's `self`. May be malformed.
      #: (untyped) -> String
      def self.without_singleton(value)
        text = utf8(value)
        text.valid_encoding? ? text.gsub(SINGLETON, "") : text
      end

      # May be malformed.
      def self.utf8(value) #: (untyped) -> String
        text = value.to_s
        return text if text.encoding == Encoding::UTF_8
        return text.dup.force_encoding(Encoding::UTF_8) if text.ascii_only? || UNNAMED.include?(text.encoding)

        text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
      rescue EncodingError # an encoding that Ruby cannot convert from
        text.b.force_encoding(Encoding::UTF_8)
      end

      # Text in which each unsafe character, and each malformed byte, is written as an escape.
      #: (untyped, ?Regexp) -> String
      def self.escape(value, unsafe = UNSAFE)
        text = utf8(value)
        return text.gsub(unsafe) { |character| escape_character(character) } if text.valid_encoding?

        text.each_char.map { |char| char.valid_encoding? && !char.match?(unsafe) ? char : escape_character(char) }.join
      end

      def self.escape_character(character)
        return character.bytes.map { |byte| format('\x%02X', byte) }.join unless character.valid_encoding?

        ESCAPES[character] || format('\u{%x}', character.ord)
      end
      private_class_method :escape_character
    end
  end
end
