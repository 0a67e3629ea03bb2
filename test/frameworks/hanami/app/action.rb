# frozen_string_literal: true

require "hanami/action"

module Trees
  class Action < Hanami::Action
  end
end
