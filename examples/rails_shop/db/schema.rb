# frozen_string_literal: true

ActiveRecord::Schema[7.2].define(version: 2025_03_01_000000) do
  create_table "categories", force: :cascade do |t|
    t.string "name", null: false
    t.string "slug", null: false, index: { unique: true }
    t.string "picture", null: false
    t.string "tagline", null: false
  end

  create_table "products", force: :cascade do |t|
    t.references "category", null: false, foreign_key: true
    t.string "sku", null: false, index: { unique: true }
    t.string "name", null: false
    t.string "species"
    t.string "variant", null: false
    t.text "description", null: false
    t.integer "price_cents", null: false, index: true
    t.integer "stock", null: false, default: 0
    t.integer "reviews_count", null: false, default: 0
    t.integer "rating_sum", null: false, default: 0
    t.integer "sold_count", null: false, default: 0, index: true
    t.date "listed_on", null: false
    t.check_constraint "stock >= 0", name: "stock_not_negative"
  end

  create_table "reviews", force: :cascade do |t|
    t.references "product", null: false, foreign_key: true
    t.string "author", null: false
    t.integer "rating", null: false
    t.text "body", null: false
    t.datetime "created_at", null: false
  end

  create_table "orders", force: :cascade do |t|
    t.string "token", null: false, index: { unique: true }
    t.string "name", null: false
    t.string "email", null: false
    t.string "address", null: false
    t.string "postcode", null: false
    t.text "note"
    t.integer "items_cents", null: false
    t.integer "delivery_cents", null: false
    t.datetime "created_at", null: false, index: true
  end

  create_table "order_items", force: :cascade do |t|
    t.references "order", null: false, foreign_key: true
    t.references "product", null: false, foreign_key: true
    t.integer "quantity", null: false
    t.integer "price_cents", null: false
  end

  create_table "uploads", force: :cascade do |t|
    t.string "filename", null: false
    t.string "content_type", null: false
    t.string "sha256", null: false
    t.integer "bytes", null: false
    t.datetime "created_at", null: false
  end
end
