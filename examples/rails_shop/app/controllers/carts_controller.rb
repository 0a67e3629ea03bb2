# frozen_string_literal: true

class CartsController < ApplicationController
  def show; end

  # The whole basket at once: one quantity for each line.
  def update
    quantities = params.permit(quantities: {}).fetch(:quantities, {})
    cart.lines.each do |line|
      wanted = quantities[line.product.id.to_s]
      cart.set(line.product.id, wanted.to_i) if wanted.is_a?(String)
    end
    redirect_to cart_path, notice: "Basket updated."
  end

  def destroy
    cart.clear
    redirect_to cart_path, notice: "Basket emptied."
  end
end
