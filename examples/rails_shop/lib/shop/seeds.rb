# frozen_string_literal: true

require "yaml"

module Shop
  # Fills an empty database with the same data each time: about two thousand products, five thousand reviews and three
  # thousand orders. Inserts thousands of rows at once, without models, because that is faster.
  class Seeds
    REVIEWS = 5_000
    ORDERS = 3_000
    BATCH = 1_000
    OPENING_DAY = Date.new(2023, 9, 1)
    LAST_DAY = Date.new(2025, 8, 31)
    RATINGS = [5, 5, 5, 5, 5, 4, 4, 4, 3, 3, 2, 1].freeze
    POSTCODES = %w[SA48 SY20 LD8 HR3 TN30 GL5 TQ9 NE46 IP22 DT7].freeze

    def initialize
      @random = Random.new(1987)
      @catalogue = YAML.load_file(File.expand_path("../../db/seeds/catalogue.yml", __dir__))
      @species = YAML.load_file(File.expand_path("../../db/seeds/species.yml", __dir__)).keys
      @voices = YAML.load_file(File.expand_path("../../db/seeds/voices.yml", __dir__))
    end

    def plant
      ActiveRecord::Base.transaction do
        insert(Category, @catalogue.map { |category| category.slice("name", "slug", "picture", "tagline") })
        insert(Product, products)
        insert(Review, reviews)
        plant_orders
      end
    end

    private

    def insert(model, rows)
      rows.each_slice(BATCH) { |slice| model.insert_all!(slice) }
    end

    def pick(list) = list[@random.rand(list.size)]

    # Shuffled, so that the newest products are not all of one kind.
    def products
      rows = @catalogue.each.with_index(1).flat_map { |category, id| products_of(category, id) }
      @prices = rows.shuffle!(random: @random).map { |row| row[:price_cents] }
      @sold = popularity(rows.size)
      ratings = review_ratings
      rows.each.with_index(1) do |row, id|
        row.update(sold_count: @sold[id], reviews_count: ratings[id].size, rating_sum: ratings[id].sum)
      end
    end

    def products_of(category, id)
      prefix = category["slug"].delete("aeiou-").first(3).upcase
      pairs = category["items"].to_a.product(category["variants"].to_a)
      pairs.map.with_index do |((name, cents), (variant, factor)), number|
        { category_id: id, sku: format("%s-%03d", prefix, number + 1), name:, variant:, species: species(name),
          description: describe(category, name), price_cents: tidy(cents * factor), stock: stock, listed_on: day }
      end
    end

    # The longest name in the glossary that this name begins with. Most tools have none.
    def species(name) = @species.select { |key| name.downcase.start_with?(key) }.max_by(&:size)

    def describe(category, name)
      first, *rest = category["text"]
      [format(first, name: name), *rest.sample(2 + @random.rand(2), random: @random)].join(" ").sub(/\A\p{L}/, &:upcase)
    end

    # Rounded as on a price board: to 5 pence, 25 pence, 50 pence or 5 pounds, depending on the price.
    def tidy(cents)
      steps = { 0..199 => 5, 200..1_999 => 25, 2_000..9_999 => 50 }
      step = steps.find { |range, _| range.cover?(cents.to_i) }&.last || 500
      [(cents / step).round * step, 5].max
    end

    def stock = @random.rand(9).zero? ? 0 : @random.rand(4..900)
    def day = OPENING_DAY + @random.rand((LAST_DAY - OPENING_DAY).to_i)
    def moment = day.to_time(:utc) + @random.rand(28_800..72_000)

    # A few products sell every day and most sell rarely: the square of a random number is closer to zero.
    def favourite = 1 + ((@random.rand**2) * @prices.size).to_i

    def popularity(size)
      @items = Array.new(ORDERS) { Array.new(1 + @random.rand(4)) { [1 + ((@random.rand**2) * size).to_i, quantity] } }
      @items.flatten(1).each_with_object(Hash.new(0)) { |(id, quantity), sold| sold[id] += quantity }
    end

    def quantity = pick([1, 1, 1, 2, 2, 3, 5, 10, 25])

    def review_ratings
      @reviewed = Array.new(REVIEWS) { [favourite, pick(RATINGS)] }
      ratings = Hash.new { |hash, id| hash[id] = [] }
      @reviewed.each_with_object(ratings) { |(id, rating), found| found[id] << rating }
    end

    def reviews
      @reviewed.map do |product_id, rating|
        { product_id:, rating:, author: "#{pick(@voices["authors"])} from #{pick(@voices["places"])}",
          body: pick(@voices["reviews"][rating]), created_at: moment }
      end
    end

    def plant_orders
      moments = Array.new(ORDERS) { moment }.sort
      insert(Order, @items.zip(moments).map { |items, created_at| order(items, created_at) })
      insert(OrderItem, @items.each.with_index(1).flat_map { |items, order_id| order_items(items, order_id) })
    end

    def order(items, created_at)
      name = "#{pick(@voices["authors"])} #{pick(@voices["surnames"])}"
      { token: token, name:, email: "#{name.downcase.tr(" ", ".")}@example.org",
        address: "#{1 + @random.rand(90)} #{pick(@voices["streets"])}, #{pick(@voices["places"])}",
        postcode: "#{pick(POSTCODES)} #{@random.rand(1..9)}AB", note: (pick(@voices["notes"]) if @random.rand(3).zero?),
        items_cents: items.sum { |id, quantity| @prices[id - 1] * quantity }, delivery_cents: 495, created_at: }
    end

    def token = Array.new(12) { pick(Order::ALPHABET) }.join

    def order_items(items, order_id)
      items.map { |product_id, quantity| { order_id:, product_id:, quantity:, price_cents: @prices[product_id - 1] } }
    end
  end
end
