# frozen_string_literal: true

# The least that an application can do: what remains is the server. The length is given, so that no server's
# middleware has to work it out.
BODY = "Hello, World!\n"
HEADERS = { "content-type" => "text/plain", "content-length" => BODY.bytesize.to_s }.freeze

run ->(_env) { [200, HEADERS.dup, [BODY]] }
