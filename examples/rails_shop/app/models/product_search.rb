# frozen_string_literal: true

# The visitor's search in the catalogue: filters, sort order, and one page of results. Parameters are coerced. Invalid
# parameters are ignored.
class ProductSearch
  SORTS = {
    "popular" => ["Most sold", { sold_count: :desc, id: :asc }],
    "cheap" => ["Price, low to high", { price_cents: :asc, id: :asc }],
    "dear" => ["Price, high to low", { price_cents: :desc, id: :asc }],
    "new" => ["Newest", { listed_on: :desc, id: :asc }],
    "name" => ["Name", { name: :asc, price_cents: :asc, id: :asc }],
  }.freeze
  FIELDS = %i[q category min max stock sort page per].freeze

  attr_reader :q, :category, :min, :max, :sort, :page, :per

  def initialize(params)
    text = ->(key) { params[key].is_a?(String) ? params[key].scrub.delete("\0").strip[0, 80].presence : nil }
    @q, @category, @in_stock = text[:q], text[:category], text[:stock] == "1"
    @min, @max = [text[:min], text[:max]].map { |pounds| Float(pounds, exception: false)&.clamp(0, 100_000) if pounds }
    @sort = SORTS.key?(text[:sort]) ? text[:sort] : "popular"
    @per = (text[:per]&.to_i || Settings.catalogue.per_page).clamp(1, Settings.catalogue.per_page_limit)
    @page = text[:page].to_i.clamp(1, pages)
  end

  def in_stock? = @in_stock
  def total = @total ||= matches.count
  def pages = [(total / per.to_f).ceil, 1].max
  def products = matches.includes(:category).order(SORTS.fetch(sort).last).offset((page - 1) * per).limit(per)
  def filtered? = to_params.except(:sort).any?

  # For links: only parameters that differ from their defaults.
  def to_params(**changes)
    { q:, category:, min: plain(min), max: plain(max),
      stock: ("1" if in_stock?), sort: (sort unless sort == "popular") }
      .merge(changes).compact
  end

  def first_shown = total.zero? ? 0 : ((page - 1) * per) + 1
  def last_shown = [page * per, total].min

  private

  def plain(number) = number&.then { |n| n == n.to_i ? n.to_i : n }

  def matches
    scope = Product.all
    scope = scope.where(category_id: Category.where(slug: category).select(:id)) if category
    scope = scope.where(price_cents: (min * 100).round..) if min
    scope = scope.where(price_cents: ..(max * 100).round) if max
    scope = scope.in_stock if in_stock?
    words.reduce(scope) { |found, word| found.where("name || ' ' || variant || ' ' || sku LIKE ? ESCAPE '\\'", word) }
  end

  def words = q.to_s.split.first(6).map { |word| "%#{ActiveRecord::Base.sanitize_sql_like(word)}%" }
end
