# frozen_string_literal: true

class CartLinesController < ApplicationController
  def create
    product = Product.find(params[:product_id])
    if cart.add(product, [quantity, 1].max)
      redirect_to cart_path, notice: "“#{product.full_name}” is in your basket."
    else
      redirect_to cart_path, alert: "The basket holds #{Settings.cart.line_limit} different things. Order these first."
    end
  end

  def update
    cart.set(params[:id].to_i, quantity)
    redirect_to cart_path, notice: "Basket updated."
  end

  def destroy
    cart.remove(params[:id].to_i)
    redirect_to cart_path, notice: "Taken out of the basket."
  end
end
