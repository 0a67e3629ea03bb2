# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    module Types
      # How long accept is deferred, in retransmissions; true and false for one and none. Kept as an Integer.
      class Deferral < Whole
        def initialize
          super(minimum: 0)
        end

        def description = "#{super}; true or false"

        #: (untyped) -> Integer
        def check(value)
          case value
          when true then 1
          when false then 0
          else super
          end
        end
      end
    end
  end
end
