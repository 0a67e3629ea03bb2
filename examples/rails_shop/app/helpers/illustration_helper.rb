# frozen_string_literal: true

# Pictures in the page: one SVG partial for each kind of goods, coloured by the product's number so that products of one
# kind do not all look the same.
module IllustrationHelper
  Palette = Struct.new(:sky, :hill, :leaf, :shade, :wood, :metal)

  PALETTES = [
    Palette.new("#e9efe0", "#cbd9b4", "#6d8f4a", "#4d6e37", "#8a6644", "#8d979b"),
    Palette.new("#f3ead6", "#e2cfa0", "#93994a", "#6c7335", "#96693c", "#8a9194"),
    Palette.new("#e2edeb", "#b5d0c8", "#4c8069", "#37624f", "#7c5d45", "#7f8e96"),
    Palette.new("#f4e6da", "#e5c0a0", "#b2783a", "#8a5726", "#7e573a", "#8c9091"),
    Palette.new("#e8ebf1", "#c3cede", "#5d7f66", "#44624c", "#86684f", "#7b8794"),
    Palette.new("#f1efdd", "#d8d8a8", "#7d9a3e", "#5b752b", "#8f6b42", "#939a90"),
  ].freeze

  def illustration(picture, number, size: nil)
    palette = PALETTES[number % PALETTES.size]
    parts = ["ground", picture].map { |part| render("illustrations/#{part}", palette:, number:) }
    tag.svg(safe_join(parts), viewBox: "0 0 240 180", preserveAspectRatio: "xMidYMid slice",
                              class: ["picture", size], "aria-hidden": true, focusable: false)
  end

  # A value that differs between two products, and is the same on every visit.
  def wobble(number, step, range) = ((number * 37 + step * 53) % ((2 * range) + 1)) - range
end
