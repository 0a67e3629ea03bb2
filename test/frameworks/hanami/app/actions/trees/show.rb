# frozen_string_literal: true

module Trees
  module Actions
    module Trees
      class Show < Action
        def handle(request, response)
          response.body = "#{request.params[:name]} in #{request.params[:season]}"
        end
      end
    end
  end
end
