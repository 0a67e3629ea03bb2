# frozen_string_literal: true

require "rack"

# A page as a browser requests it. The application reads a parameter and a cookie with Rack, and answers with ten
# headers and 20,000 bytes. Both values are in the page, so its length shows whether the server passed them on
# correctly.
BYTES = 20_000
HEADERS = {
  "content-type" => "text/html; charset=utf-8", "cache-control" => "private, max-age=0",
  "etag" => 'W/"5f2b1c0d9e8f7a6b"', "vary" => "Accept-Encoding, Cookie", "x-frame-options" => "SAMEORIGIN",
  "x-content-type-options" => "nosniff", "referrer-policy" => "strict-origin-when-cross-origin",
  "x-request-id" => "2f1c9a64-7f0e-4a7b-9a53-0d9a0e3f6c11", "set-cookie" => "seen=42; path=/; httponly; samesite=lax"
}.freeze

PAGE = ->(color, visitor) { "<!doctype html><title>Shop</title><h1>#{visitor}, everything #{color}</h1>\n" }
ROW = "<li class=product><a href=/products/1>Paper, white</a> 12.00</li>\n"
REST = ROW.ljust(BYTES - PAGE.call("green", "Ada").bytesize, ROW).freeze

run(lambda do |env|
  request = Rack::Request.new(env)
  body = PAGE.call(request.params["color"], request.cookies["visitor"]) + REST
  [200, { **HEADERS, "content-length" => body.bytesize.to_s }, [body]]
end)
