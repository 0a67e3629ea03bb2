# frozen_string_literal: true

# The smallest application, so that the cost is that of the server. It sets the length, so that no server's middleware
# has to compute it.
BODY = "Hello, World!\n"
HEADERS = { "content-type" => "text/plain", "content-length" => BODY.bytesize.to_s }.freeze

run ->(_env) { [200, HEADERS.dup, [BODY]] }
