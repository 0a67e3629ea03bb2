# frozen_string_literal: true

# Answers with the pid of its process. `/?wait=100` first waits for 100 milliseconds, like a request that queries a
# database.
run(lambda do |env|
  wait_ms = env["QUERY_STRING"].to_s[/\Await=(\d+)\z/, 1].to_i
  sleep(wait_ms / 1000.0) if wait_ms.positive?
  body = Process.pid.to_s
  [200, { "content-type" => "text/plain", "content-length" => body.bytesize.to_s }, [body]]
end)
