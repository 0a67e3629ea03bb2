# frozen_string_literal: true

module Trees
  module Actions
    module Visits
      class Show < Action
        def handle(request, response)
          response.session[:visits] = request.session[:visits].to_i + 1
          response.body = response.session[:visits].to_s
        end
      end
    end
  end
end
