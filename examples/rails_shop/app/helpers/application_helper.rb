# frozen_string_literal: true

module ApplicationHelper
  def page_title = [content_for(:title).presence, Settings.shop.name].compact.join(" · ")

  def pounds(cents) = number_to_currency(cents / 100.0, unit: "£")

  def british(date) = date.strftime("%-d %B %Y")

  def count_of(number, noun) = "#{number_with_delimiter(number)} #{noun.pluralize(number)}"

  def nav_link(text, path, **options)
    link_to(text, path, "aria-current": ("page" if current_page?(path)), **options)
  end

  # "★★★★☆ 4.2", with a text alternative for screen readers.
  def stars(rating)
    return tag.span("No reviews yet", class: "stars none") unless rating

    full = rating.round
    tag.span(class: "stars", role: "img", "aria-label": "#{rating} out of 5") do
      safe_join(["★" * full, tag.i("★" * (5 - full))])
    end
  end

  def stock_note(product)
    return tag.span("Sold out until the next lifting", class: "stock out") if product.stock.zero?
    return tag.span("Last #{product.stock}", class: "stock low") if product.low?

    tag.span("#{number_with_delimiter(product.stock)} in the yard", class: "stock")
  end

  # The process that made this page, so that visitors can watch reforks. Pages are never cached.
  def process_line
    worker = request.env["coppice.worker"] || request.env["pitchfork.worker"]
    facts = ["process #{Process.pid}"]
    { nr: "slot", generation: "generation", requests_count: "request" }.each do |name, label|
      facts << "#{label} #{worker.public_send(name)}" if worker.respond_to?(name)
    end
    facts.join(" · ")
  end
end
