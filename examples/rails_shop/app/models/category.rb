# frozen_string_literal: true

class Category < ApplicationRecord
  has_many :products, dependent: :restrict_with_exception

  scope :in_order, -> { order(:id) }
end
