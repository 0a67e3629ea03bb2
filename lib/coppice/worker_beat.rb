# frozen_string_literal: true

module Coppice
  # How often an idle worker gives a sign of life, in seconds: what workers do and the monitor goes by.
  WORKER_BEAT = 5
end
