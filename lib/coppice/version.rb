# frozen_string_literal: true

module Coppice
  VERSION = "0.1.0"
end
