# frozen_string_literal: true

# Wraps the application of the rackup file $BENCH_RACKUP: each response also names the process that made it.
require "rack/builder"

APPLICATION, = Rack::Builder.parse_file(ENV.fetch("BENCH_RACKUP")) # Rack 2 returns options as well

run(lambda do |env|
  status, headers, body = APPLICATION.call(env)
  [status, headers.merge("x-process" => Process.pid.to_s), body]
end)
