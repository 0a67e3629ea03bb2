# frozen_string_literal: true

class Order < ApplicationRecord
  class OutOfStock < StandardError; end

  # Without letters that are easily confused on the telephone.
  ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
  TOKEN_SIZE = 12

  has_many :items, class_name: "OrderItem", dependent: :destroy, inverse_of: :order

  validates :name, :address, presence: true, length: { maximum: 200 }
  validates :email, format: { with: URI::MailTo::EMAIL_REGEXP, message: "does not look like an address" }
  validates :postcode, format: { with: Delivery::POSTCODE, message: "is not a British postcode" }
  validates :note, length: { maximum: 1_000 }

  before_create { self.token ||= Array.new(TOKEN_SIZE) { ALPHABET[SecureRandom.random_number(ALPHABET.size)] }.join }

  # Everyone who has the link can see the order, so the link must not be guessable.
  def to_param = token
  def total_cents = items_cents + delivery_cents

  # Returns whether the order was placed. Either all items are taken from stock, or none.
  def place(cart)
    self.items_cents = cart.cents
    self.delivery_cents = Delivery.new(postcode).cents(cart)
    return false unless valid?

    transaction { save! && cart.lines.each { |line| take(line) } }
    true
  rescue OutOfStock => error
    errors.add(:base, error.message)
    false
  end

  private

  def take(line)
    line.product.take!(line.quantity)
    items.create!(product: line.product, quantity: line.quantity, price_cents: line.product.price_cents)
  end
end
