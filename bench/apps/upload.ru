# frozen_string_literal: true

# Reads a body in pieces, as if to write it to a file, and answers with its length.
PIECE_BYTES = 64 * 1024

run(lambda do |env|
  input = env["rack.input"]
  piece = String.new(capacity: PIECE_BYTES)
  total = 0
  total += piece.bytesize while input&.read(PIECE_BYTES, piece) && !piece.empty? # the end is nil; for Iodine it is ""
  body = total.to_s
  [200, { "content-type" => "text/plain", "content-length" => body.bytesize.to_s }, [body]]
end)
