# frozen_string_literal: true

module Coppice
  module Http
    # The cookies of a client that sends all its requests to one application: no domain, path or age tells them apart.
    class CookieJar
      GONE = /;\s*(?:max-age=(?:0|-\d+)\s*(?:;|\z)|expires=[^;]*\b1970\b)/i.freeze

      def initialize
        @values = {}
      end

      # fields: the values of the headers Set-Cookie of a response.
      #: (Array[String]) -> void
      def store(fields)
        fields.each do |field|
          name, value = field[/\A[^;]*/].split("=", 2).map(&:strip)
          next unless value

          field.match?(GONE) ? @values.delete(name) : @values[name] = value
        end
      end

      # The value of the header Cookie; nil for none.
      #: () -> String?
      def header = (@values.map { |name, value| "#{name}=#{value}" }.join("; ") unless @values.empty?)
    end
  end
end
