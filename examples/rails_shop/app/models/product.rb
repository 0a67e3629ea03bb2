# frozen_string_literal: true

class Product < ApplicationRecord
  belongs_to :category
  has_many :reviews, dependent: :destroy
  has_many :order_items, dependent: :restrict_with_exception

  scope :in_stock, -> { where(stock: 1..) }
  scope :popular, -> { order(sold_count: :desc, id: :asc) }

  def full_name = "#{name}, #{variant}"
  def rating = reviews_count.zero? ? nil : (rating_sum / reviews_count.to_f).round(1)
  def low? = stock.positive? && stock <= Settings.catalogue.low_stock
  def trade_cents = PriceRules.best(self, 100)

  # The glossary's entry about the species. Most tools have none.
  def species_entry = ReferenceBooks.glossary[species]

  def related = category.products.where(name:).where.not(id:).popular.limit(Settings.catalogue.related)

  # Atomic, so that two customers cannot both buy the last one.
  def take!(quantity)
    change = ["stock = stock - ?, sold_count = sold_count + ?", quantity, quantity]
    taken = Product.where(id:, stock: quantity..).update_all(change)
    raise Order::OutOfStock, "Only #{reload.stock} of “#{full_name}” left" if taken.zero?
  end
end
