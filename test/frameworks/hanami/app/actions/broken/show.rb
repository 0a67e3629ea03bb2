# frozen_string_literal: true

module Trees
  module Actions
    module Broken
      class Show < Action
        def handle(_request, _response)
          raise "broken"
        end
      end
    end
  end
end
