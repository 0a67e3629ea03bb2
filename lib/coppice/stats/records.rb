# frozen_string_literal: true

require "coppice/log/text"

module Coppice
  class Stats
    # Reads the rings of the board, and makes values of columns. For classes that have the board as @board.
    module Records
      private

      # The values of the records of a ring, newest first, without those that are overwritten meanwhile.
      def newest(ring, last, kept)
        last.downto([last - kept + 1, 1].max).filter_map { |sequence| read(ring, sequence) }
      end

      # The values of one record; nil when it is overwritten meanwhile.
      def read(ring, sequence)
        record = @board.public_send(ring, sequence)
        values = record.to_h
        values if values[:sequence] == sequence && record.sequence == sequence
      end

      def known(number) = number.negative? ? nil : number
      def seconds(milliseconds) = known(milliseconds)&./(1000.0)
      def bytes(kib) = known(kib)&.*(1024)
      def micro(microseconds) = known(microseconds)&./(1e6)
      def positive(number) = (number if number.positive?)
      def text(bytes) = bytes.empty? ? nil : Log::Text.valid(bytes)
    end
  end
end
