# frozen_string_literal: true

module Coppice
  class Worker
    # The limits of `timeout_for`. A worker has one only if the option is set, so that no other looks for a path.
    class RouteTimeouts
      Route = Struct.new(:path, :below, :regexp, :limit_ms)

      # nil if there are none.
      #: (Config::Settings) -> RouteTimeouts?
      def self.of(settings)
        new(settings.timeout_for) unless settings.timeout_for.empty?
      end

      # The values of the option, see Config::Types::RouteTimeouts.
      #: (Array[[Symbol, String, Numeric]]) -> void
      def initialize(rows)
        @routes = rows.map do |kind, text, seconds|
          limit_ms = (seconds * 1000).ceil
          next Route.new(nil, nil, Regexp.new(text), limit_ms) if kind == :regexp

          path = text.delete_suffix("/")
          Route.new(path, "#{path}/", nil, limit_ms)
        end
      end

      # The limit of the first route that fits, in milliseconds; nil if none does.
      #: (String) -> Integer?
      def limit_ms(path)
        @routes.each { |route| return route.limit_ms if fits?(route, path) }
        nil
      end

      private

      def fits?(route, path)
        return path == route.path || path.start_with?(route.below) unless route.regexp

        route.regexp.match?(path)
      rescue ArgumentError, EncodingError # the client has sent bytes that are no text
        false
      end
    end
  end
end
