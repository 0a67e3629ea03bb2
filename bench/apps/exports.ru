# frozen_string_literal: true

# One request in EVERY allocates LARGE_MIB at once, as an export or a report does; the others are small.
LARGE_MIB = Integer(ENV.fetch("LARGE_MIB", "200"))
EVERY = 50
LINE = "a line of an export, of some hundred bytes: #{'x' * 200}".freeze

run(lambda do |env|
  large = env["PATH_INFO"][/\d+/].to_i == EVERY
  lines = Array.new(large ? (LARGE_MIB << 20) / LINE.bytesize : 1) { |number| "#{number} #{LINE}" }
  [200, { "content-type" => "text/plain" }, [lines.size.to_s]]
end)
