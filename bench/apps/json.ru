# frozen_string_literal: true

require "json"

# Receives an order in JSON, and answers with the number and the cost of its items.
run(lambda do |env|
  items = JSON.parse(env["rack.input"].read).fetch("items")
  body = JSON.generate("items" => items.size, "cents" => items.sum { |item| item["count"] * item["cents"] })
  [200, { "content-type" => "application/json", "content-length" => body.bytesize.to_s }, [body]]
end)
