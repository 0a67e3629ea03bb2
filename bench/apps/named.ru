# frozen_string_literal: true

# Another application, the one of the rackup file $BENCH_RACKUP: each answer also names the process that made it.
require "rack/builder"

APPLICATION, = Rack::Builder.parse_file(ENV.fetch("BENCH_RACKUP")) # Rack 2 answers with options too

run(lambda do |env|
  status, headers, body = APPLICATION.call(env)
  [status, headers.merge("x-process" => Process.pid.to_s), body]
end)
