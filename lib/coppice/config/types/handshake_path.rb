# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    module Types
      # The path of a URL below the root, as clients send it. Kept without a slash at its end.
      class HandshakePath < Text
        LONGEST = 64 # bytes that the board has room for

        def description = "a path below the root, such as \"/cable\""
        def placeholder = "/PATH"

        #: (untyped) -> String
        def check(value)
          path = value.is_a?(String) ? value.chomp("/") : refuse(value)
          path.match?(%r{\A(?:/[!$&-.0-9:;=@A-Z_a-z~]+)+\z}) && path.bytesize <= LONGEST ? -path : refuse(value)
        end
      end
    end
  end
end
