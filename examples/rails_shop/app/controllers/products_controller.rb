# frozen_string_literal: true

class ProductsController < ApplicationController
  REVIEWS_SHOWN = 12

  def index
    @search = ProductSearch.new(params)
    @products = @search.products.to_a
    @categories = Category.in_order
  end

  def show
    @product = Product.includes(:category).find(params[:id])
    @reviews = @product.reviews.order(created_at: :desc, id: :desc).limit(REVIEWS_SHOWN)
    @related = @product.related.includes(:category)
    @delivery = Delivery.new(params[:postcode]) if params[:postcode].is_a?(String)
  end
end
