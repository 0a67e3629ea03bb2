# frozen_string_literal: true

require "rack"

# Files from bench/lib/samples.rb, with a body that answers to_path.
run Rack::Files.new(File.expand_path("../../tmp/bench/samples", __dir__))
