# frozen_string_literal: true

require "coppice/config/loader"

module Coppice
  # Everything that a server can be told: the catalogue of options and hooks, and where their values come from. Knows
  # nothing of processes; loads no gem, since the monitor uses it.
  module Config
  end
end
