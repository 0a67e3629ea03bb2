# frozen_string_literal: true

require "io/wait"

module Coppice
  module Top
    # Reads keys from a terminal in raw mode: characters, and names for the keys that send a sequence.
    class Keyboard
      SEQUENCE = /\e(?:\[[\d;]*[A-Za-z~]|O[A-Za-z])|\e|[^\e]/m.freeze
      INCOMPLETE = /\e(?:\[[\d;]*|O)?\z/.freeze
      WAIT = 0.05 # seconds for the rest of a sequence: the Escape key alone sends its first byte

      NAMES = { "\e" => :escape, "\r" => :enter, "\n" => :enter, "\x03" => :interrupt, "\x1a" => :suspend,
                "\f" => :redraw, "\e[A" => :up, "\e[B" => :down, "\e[C" => :right, "\e[D" => :left,
                "\eOA" => :up, "\eOB" => :down, "\eOC" => :right, "\eOD" => :left,
                "\e[5~" => :page_up, "\e[6~" => :page_down, "\e[H" => :home, "\e[F" => :end, "\eOH" => :home,
                "\eOF" => :end, "\e[1~" => :home, "\e[4~" => :end, "\e[7~" => :home, "\e[8~" => :end }.freeze

      attr_reader :input #: IO

      #: (IO) -> void
      def initialize(input)
        @input = input
      end

      # The keys that were pressed since; nil when the terminal is gone. A key without a name is its character.
      #: () -> Array[String | Symbol]?
      def keys
        text = read or return
        text << read.to_s while text.match?(INCOMPLETE) && @input.wait_readable(WAIT)
        text.scan(SEQUENCE).map { |sequence| NAMES.fetch(sequence, sequence) }
      end

      private

      # In binary: a key beyond ASCII is some bytes that mean nothing.
      def read
        bytes = @input.read_nonblock(1024, exception: false)
        bytes == :wait_readable ? +"" : bytes&.b
      rescue Errno::EIO
        nil
      end
    end
  end
end
