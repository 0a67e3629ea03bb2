# frozen_string_literal: true

module Api
  # Without sessions and cookies another site cannot abuse them, so there is no CSRF token.
  class BaseController < ActionController::API
    rescue_from ActiveRecord::RecordNotFound, with: :missing
    rescue_from ActionController::ParameterMissing, with: :incomplete

    private

    def missing = render(json: { error: "not found" }, status: :not_found)
    def incomplete(error) = render(json: { error: error.message.lines.first.strip }, status: :bad_request)
  end
end
