# frozen_string_literal: true

class OrdersController < ApplicationController
  before_action :require_goods, only: %i[new create]

  def show
    @order = Order.includes(items: { product: :category }).find_by!(token: params[:id])
  end

  def new
    @order = Order.new
  end

  def create
    @order = Order.new(order_params)
    if @order.place(cart)
      cart.clear
      redirect_to order_path(@order), notice: "Thank you. We have it down in the book."
    else
      render :new, status: :unprocessable_entity
    end
  end

  private

  def order_params = params.require(:order).permit(:name, :email, :address, :postcode, :note)

  def require_goods
    redirect_to cart_path, alert: "There is nothing in the basket yet." if cart.lines.empty?
  end
end
