# frozen_string_literal: true

module Trees
  module Actions
    module Home
      class Show < Action
        def handle(_request, response)
          response.render(view)
        end
      end
    end
  end
end
