# frozen_string_literal: true

module Api
  class ReviewsController < BaseController
    def create
      product = Product.find(params.require(:product_id))
      review = product.reviews.new(params.permit(:author, :rating, :body))
      if review.save
        render json: review.as_json(only: %i[id product_id author rating body]), status: :created
      else
        render json: { errors: review.errors.full_messages }, status: :unprocessable_entity
      end
    end
  end
end
