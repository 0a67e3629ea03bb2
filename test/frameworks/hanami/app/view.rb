# frozen_string_literal: true

require "hanami/view"

module Trees
  class View < Hanami::View
    config.layout = nil
  end
end
