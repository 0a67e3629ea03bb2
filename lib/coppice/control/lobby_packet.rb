# frozen_string_literal: true

module Coppice
  module Control
    # What monitor and lobby send each other, as text, since the lobby is no Ruby process: a line of words, then a line
    # for each field, a name and its value. The descriptors that travel beside it have an order, and no names.
    LobbyPacket = Struct.new(:words, :fields) do
      # A field whose value is an Array has a line for each element.
      #: (*_ToS, **untyped) -> LobbyPacket
      def self.of(*words, **fields)
        lines = fields.flat_map { |name, value| [value].flatten(1).map { |one| [name.to_s, one.to_s] } }
        new(words.map(&:to_s).freeze, lines.freeze).freeze
      end

      #: (String) -> LobbyPacket
      def self.parse(bytes)
        first, *lines = bytes.force_encoding(Encoding::UTF_8).scrub.split("\n")
        new(first.to_s.split.freeze, lines.map { |line| line.split(" ", 2) }.freeze).freeze
      end

      #: () -> String
      def to_s = [words, *fields].map { |line| "#{line.join(' ')}\n" }.join

      # The fields of a log line.
      #: () -> Hash[Symbol, String]
      def to_log = fields.to_h { |name, value| [name.to_sym, value] }
    end
  end
end
