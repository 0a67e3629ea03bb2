# frozen_string_literal: true

require "json"
require "coppice/cold/advice"

module Coppice
  module Cold
    # All findings as one JSON document, for programs: an array with an object for each path. Lists are whole.
    class JsonReport
      #: (Array[Findings], place: Place) -> void
      def initialize(findings, place:)
        @findings = findings
        @place = place
      end

      def text #: () -> String
        JSON.pretty_generate(@findings.map { |findings| document(findings) })
      end

      private

      def document(findings)
        facts = findings.to_h.compact.transform_values { |value| plain(value) }
        findings.failure ? facts : facts.merge(todo: Advice.new(findings, place: @place).lines)
      end

      def plain(value)
        case value
        when Struct then value.to_h.transform_values { |inner| plain(inner) }
        when Array then value.map { |inner| plain(inner) }
        else value
        end
      end
    end
  end
end
