# frozen_string_literal: true

module Trees
  module Actions
    module Trees
      class Create < Action
        def handle(request, response)
          response.redirect_to("/trees/#{request.params[:name]}?season=#{request.params[:season]}", status: 303)
        end
      end
    end
  end
end
