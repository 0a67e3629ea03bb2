# frozen_string_literal: true

module Coppice
  module Import
    # The paths of log files, sockets and the pidfile. A roll does not move these files to the new release.
    module ServerFiles
      IN_FIRST_RELEASE = "where each release has a directory of its own, a relative path stays in the first one: " \
                         "give one outside of the releases (docs/deploys.md)"
      private_constant :IN_FIRST_RELEASE

      # Has the report say so of a call with a path that is written out and relative.
      #: (Call, *untyped) -> void
      def self.advise(call, *paths)
        relative = paths.any? { |path| path.is_a?(String) && !path.start_with?("/", "~") }
        call.advice = IN_FIRST_RELEASE if relative
      end
    end
  end
end
