# frozen_string_literal: true

# 100 pieces of 1,000 bytes without a content-length: each server frames the response in its own way.
class Pieces
  PIECE = ("x" * 1000).freeze

  def each
    100.times { yield PIECE }
  end
end

run ->(_env) { [200, { "content-type" => "text/plain" }, Pieces.new] }
