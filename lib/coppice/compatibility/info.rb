# frozen_string_literal: true

require "coppice/info"

module Pitchfork
  Info = Coppice::Info
end
