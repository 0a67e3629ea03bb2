# frozen_string_literal: true

class HomeController < ApplicationController
  FEATURED = 8

  def show
    @categories = Category.in_order
    @featured = Product.includes(:category).in_stock.popular.limit(FEATURED)
    @season = Season.today
  end
end
