# frozen_string_literal: true

# The basket, kept in the session as { product id => quantity }: small enough for a cookie.
class Cart
  Line = Struct.new(:product, :quantity) do
    def cents = product.price_cents * quantity
  end

  def initialize(session)
    @session = session
  end

  def lines
    @lines ||= begin
      products = Product.includes(:category).where(id: quantities.keys).index_by(&:id)
      quantities.filter_map { |id, quantity| Line.new(products[id.to_i], quantity) if products.key?(id.to_i) }
    end
  end

  def cents = lines.sum(&:cents)
  def count = quantities.values.sum
  def empty? = quantities.empty?
  def full? = quantities.size >= Settings.cart.line_limit

  def add(product, quantity)
    return false if full? && !quantities.key?(product.id.to_s)

    set(product.id, quantities.fetch(product.id.to_s, 0) + quantity)
  end

  def set(product_id, quantity)
    return remove(product_id) unless quantity.positive?

    keep(quantities.merge(product_id.to_s => [quantity, Settings.cart.quantity_limit].min))
  end

  def remove(product_id) = keep(quantities.except(product_id.to_s))
  def clear = keep({})

  private

  def quantities = @session[:cart] || {}

  def keep(quantities)
    @lines = nil
    @session[:cart] = quantities
    true
  end
end
