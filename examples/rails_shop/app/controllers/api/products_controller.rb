# frozen_string_literal: true

module Api
  class ProductsController < BaseController
    def index
      search = ProductSearch.new(params)
      render json: { total: search.total, page: search.page, pages: search.pages,
                     products: search.products.map { |product| summary(product) } }
    end

    def show
      product = Product.includes(:category).find(params[:id])
      render json: summary(product).merge(
        description: product.description, species: product.species_entry&.slice("latin", "uses", "cycle"),
        ladder: PriceRules.ladder(product).map { |quantity, cents| { quantity:, cents: } },
        reviews: product.reviews.order(id: :desc).limit(10).as_json(only: %i[author rating body created_at]),
      )
    end

    private

    def summary(product)
      { id: product.id, sku: product.sku, name: product.full_name, category: product.category.slug,
        price_cents: product.price_cents, trade_cents: product.trade_cents, stock: product.stock,
        rating: product.rating, url: product_url(product) }
    end
  end
end
