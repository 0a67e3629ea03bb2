# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    module Types
      # So many workers; or :auto, which the monitor makes a number of.
      class WorkerCount < Whole
        MOST = 1024

        def initialize
          super(minimum: 0, maximum: MOST)
        end

        def description = "#{super}; or :auto"
        def placeholder = "N|auto"

        #: (untyped) -> (Integer | :auto)
        def check(value) = value == :auto ? value : super

        #: (String) -> (Integer | :auto)
        def parse(text) = text == "auto" ? :auto : super
      end
    end
  end
end
