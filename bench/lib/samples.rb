# frozen_string_literal: true

require "fileutils"
require "json"
require_relative "setup"

module Bench
  # Files that applications serve and that clients send. They are written on first use, with the same content each time.
  module Samples
    FOLDER = File.join(Setup::FOLDER, "samples").freeze
    LARGE_BYTES = 10_000_000 # below 10 MiB, the limit of some servers
    LARGE = File.join(FOLDER, "large.bin").freeze
    ORDER = File.join(FOLDER, "order.json").freeze
    ORDER_ITEMS = 90

    class << self
      #: () -> void
      def write
        FileUtils.mkdir_p(FOLDER)
        File.binwrite(LARGE, Random.new(1).bytes(LARGE_BYTES)) unless File.size?(LARGE) == LARGE_BYTES
        File.write(ORDER, JSON.generate("customer" => { "name" => "Ada", "city" => "Turin" }, "items" => items))
      end

      private

      # About 10 kB of JSON.
      def items
        Array.new(ORDER_ITEMS) do |i|
          { "product" => "A-#{1000 + i}", "name" => "Paper, white, #{i} g/m²", "count" => 1 + (i % 7),
            "cents" => 199 + (i * 31), "gift" => i.odd?, "tags" => ["paper", "a#{i % 10}"] }
        end
      end
    end
  end
end
