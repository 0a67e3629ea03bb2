# frozen_string_literal: true

class Review < ApplicationRecord
  belongs_to :product

  validates :author, presence: true, length: { maximum: 60 }
  validates :body, presence: true, length: { maximum: 2_000 }
  validates :rating, inclusion: { in: 1..5 }

  after_create :count

  private

  # In SQL, because several processes may do it at the same time.
  def count
    Product.where(id: product_id).update_all(["reviews_count = reviews_count + 1, rating_sum = rating_sum + ?", rating])
  end
end
