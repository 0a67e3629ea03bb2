# frozen_string_literal: true

require "coppice/mem_info"

module Pitchfork
  MemInfo = Coppice::MemInfo
end
