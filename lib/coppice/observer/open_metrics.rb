# frozen_string_literal: true

require "coppice/observer/exposition"

module Coppice
  class Observer
    # The text of /metrics as OpenMetrics 1.0.
    class OpenMetrics < Exposition
      # Whether a client asks for it, by what it accepts.
      #: (String?) -> bool
      def self.accepted?(accept) = accept.to_s.include?("application/openmetrics-text")

      #: () -> String
      def content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8"

      #: (Hash[Symbol, untyped]) -> String
      def text(stats) = "#{super}# EOF\n"

      private

      def head(metric)
        unit = "# UNIT #{metric.name} #{metric.unit}\n" if metric.unit
        "# TYPE #{metric.name} #{metric.type}\n#{unit}# HELP #{metric.name} #{metric.help}\n"
      end
    end
  end
end
