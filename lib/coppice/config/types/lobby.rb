# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    module Types
      # The path of a directory. Kept as an absolute path.
      class Directory < Text
        def description = "the path of a directory that exists"
        def placeholder = "PATH"

        #: (untyped) -> String
        def check(value)
          path = absolute(value) if value.is_a?(String)
          path && File.directory?(path) ? -path : refuse(value)
        end
      end

      # The format of the access log, with or without a path. Kept as a frozen Array of both; the path is absolute, or
      # nil for standard output.
      class AccessLog < Type
        FORMATS = [:text, :json].freeze

        def description = ":text or :json, with or without the path of a file"

        #: (untyped) -> [Symbol, String?]
        def check(value)
          format, path, *rest = value
          good = FORMATS.include?(format) && (path.nil? || path.is_a?(String)) && rest.empty?
          good ? [format, path && -absolute(path)].freeze : refuse(value)
        end
      end
    end
  end
end
