# frozen_string_literal: true

module PagerHelper
  # The first page, the last page and those around the current one; nil for a gap.
  def pages_around(search)
    near = [1, *(search.page - 1..search.page + 1), search.pages].select { |page| page.between?(1, search.pages) }.uniq
    near.flat_map { |page| near.include?(page - 1) || page == 1 ? [page] : [nil, page] }
  end
end
