# frozen_string_literal: true

module Coppice
  class Monitor
    # What requests of one route have in common, as far as their paths show: "POST /rooms/12/messages" is one of
    # "POST /rooms/*/messages".
    module RouteTemplate
      LONGEST = 127 # bytes: a longer request was cut on the board
      SEGMENT = 24 # bytes: a longer part of a path is a name, or a token

      class << self
        # nil for a request that was cut, and for what is none.
        #: (String) -> String?
        def of(request)
          method, path = request.split(" ", 2)
          return if path.nil? || request.bytesize > LONGEST || !path.match?(%r{\A/[!-~]*\z})

          "#{method} #{path.gsub(%r{[^/]+}) { |segment| variable?(segment) ? '*' : segment }}"
        end

        private

        def variable?(segment) = segment.match?(/\d/) || segment.bytesize > SEGMENT
      end
    end
  end
end
