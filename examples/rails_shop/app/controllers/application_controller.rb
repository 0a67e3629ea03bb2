# frozen_string_literal: true

class ApplicationController < ActionController::Base
  protect_from_forgery with: :exception

  helper_method :cart

  private

  def cart = @cart ||= Cart.new(session)

  # A number from a form, never negative.
  def quantity
    text = params[:quantity]
    text.is_a?(String) ? text.to_i.clamp(0, Settings.cart.quantity_limit) : 1
  end
end
