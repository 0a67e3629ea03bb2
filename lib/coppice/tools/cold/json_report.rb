# frozen_string_literal: true

require "json"
require "coppice/tools/cold/advice"

module Coppice
  module Cold
    # All analyses as one JSON document, for programs: an array with an object for each path. Lists are complete.
    class JsonReport
      #: (Array[PathAnalysis], source_paths: SourcePaths) -> void
      def initialize(analyses, source_paths:)
        @analyses = analyses
        @source_paths = source_paths
      end

      def text #: () -> String
        JSON.pretty_generate(@analyses.map { |analysis| document(analysis) })
      end

      private

      def document(analysis)
        facts = analysis.to_h.compact.transform_values { |value| plain(value) }
        analysis.failure ? facts : facts.merge(todo: Advice.new(analysis, source_paths: @source_paths).lines)
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
