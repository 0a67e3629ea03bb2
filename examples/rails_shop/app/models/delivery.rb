# frozen_string_literal: true

# Price and duration of the delivery of a cart to a postcode.
class Delivery
  POSTCODE = /\A\s*([A-Za-z]{1,2})(\d{1,2})[A-Za-z]?\s*\d[A-Za-z]{2}\s*\z/
  BANDS = { 1_000 => "letter", 6_000 => "parcel", 20_000 => "bundle", 100_000 => "long" }.freeze

  def initialize(postcode)
    @area, @district = postcode.to_s.match(POSTCODE)&.captures
  end

  def known? = !rates.nil?
  def days = rates&.fetch("days")

  def cents(cart)
    return 0 if cart.empty? || cart.cents >= Settings.delivery.free_over_cents

    (rates || dearest).fetch("bands").fetch(band(cart.cents))
  end

  private

  def rates
    ReferenceBooks.delivery.dig(@area.upcase, 1 + (@district.to_i % 12)) if @area
  end

  def dearest = ReferenceBooks.delivery.fetch("ZE").fetch(12)
  def band(cents) = BANDS.find { |limit, _| cents < limit }&.last || "pallet"
end
