# frozen_string_literal: true

# LAZY LOADING: a report that loads every order as an object and sums up in Ruby. That was quick to write when there
# were forty orders. It is slow on purpose: some hundred milliseconds of work, and more in a process that has not run it
# yet.
class SalesReport
  Month = Struct.new(:name, :orders, :cents, :trade_cents)
  Share = Struct.new(:category, :quantity, :cents)
  Best = Struct.new(:product, :quantity, :cents)

  BEST_SHOWN = 10
  MONTHS = 12
  LAST_SEEDED = Date.new(2025, 8, 31)

  def months
    @months ||= by_month.last(MONTHS).map do |date, orders|
      items = orders.flat_map { |order| order.items.to_a }
      Month.new(date.strftime("%b %Y"), orders.size, items.sum(&:cents), items.sum { |item| trade(item) })
    end
  end

  def shares
    @shares ||= items.group_by { |item| item.product.category }
                     .map { |category, list| Share.new(category, list.sum(&:quantity), list.sum(&:cents)) }
                     .sort_by { |share| -share.cents }
  end

  def best
    items.group_by(&:product).map { |product, list| Best.new(product, list.sum(&:quantity), list.sum(&:cents)) }
         .max_by(BEST_SHOWN, &:cents)
  end

  def orders_count = orders.size
  def cents = months.sum(&:cents)
  def median_cents = orders.map(&:items_cents).sort[orders.size / 2] || 0

  # Delivery days of each month's parcels, as if all were sent today.
  def delivery_days = orders.filter_map { |order| Delivery.new(order.postcode).days }.tally.sort

  private

  def orders
    @orders ||= Order.includes(items: { product: :category }).where(created_at: first_month..).order(:created_at).to_a
  end

  def items = @items ||= orders.flat_map { |order| order.items.to_a }
  def by_month = orders.group_by { |order| order.created_at.to_date.beginning_of_month }.sort

  # Relative to the last seeded order, so that the page is as slow next year as today.
  def first_month = (LAST_SEEDED - (MONTHS - 1).months).beginning_of_month
  def trade(item) = PriceRules.best(item.product, item.quantity) * item.quantity
end
