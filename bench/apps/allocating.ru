# frozen_string_literal: true

require "json"

# Allocates as an API does that turns large results of a database into JSON: ROWS rows become objects, with their
# values converted, then Hashes, then text. A good part of it is garbage when the request ends. A cache keeps the
# result until it is overwritten (Array#first shares the memory of the whole Array, so all rows stay), so that old
# objects die as well, which only a major garbage collection notices. CACHED_RESULTS 0 keeps none. `?rows=N` is
# another number of rows.
ROWS = Integer(ENV.fetch("ROWS", "1000"))
CACHED_RESULTS = Integer(ENV.fetch("CACHED_RESULTS", "200"))
CACHED_ROWS = 50
CACHE = Array.new(CACHED_RESULTS)
WORKING_SET = Array.new(300_000) { |i| ["key #{i}", { i => i.to_s }] } # what an application has loaded

Line = Struct.new(:id, :name, :cents, :added_at, :tags) do
  def to_h = { id: id, name: name, price: cents / 100.0, added_at: added_at, tags: tags }
end

def lines(rows, seed)
  Array.new(rows) do |i|
    Line.new(i, "product number #{seed + i}", (seed * 31) + i, "2026-11-#{(i % 28) + 1}", ["tag #{i % 7}", "all"])
  end
end

requests = 0
run(lambda do |env|
  requests += 1
  result = lines((env["QUERY_STRING"][/rows=(\d+)/, 1] || ROWS).to_i, requests)
  CACHE[requests % CACHED_RESULTS] = result.first(CACHED_ROWS) if CACHED_RESULTS.positive?
  body = JSON.generate(result.map(&:to_h))
  [200, { "content-type" => "application/json", "content-length" => body.bytesize.to_s }, [body]]
end)
