# frozen_string_literal: true

# A lazy application, the kind that benefits from reforks: it writes most of its memory not at boot but when each page
# is first requested. Every Ruby program behaves in this way: a method's inline constant cache is empty until the method
# has run once. Filling the cache writes to the method's own memory and allocates a cache entry. A worker that was
# forked before that pays for each cache with private pages. A worker that was forked afterwards shares them.
#
# CACHES methods are divided into PAGES pages; `/page/N` runs all methods of one of them, after waiting `?wait=MS`
# milliseconds. The page is a hash of N. With a plain remainder, a worker that gets every fourth request would get the
# same few pages forever. The wait keeps every worker busy with little CPU, so that no server seems to use little memory
# only because some of its workers were idle.
CACHES = Integer(ENV.fetch("CACHES", "100000"))
PAGES = 100
SCATTER = 2_654_435_761

module Lazy
  PAGES.times do |page|
    source = (page...CACHES).step(PAGES).map do |i|
      "Thing#{i} = Module.new; def self.thing_#{i} = Thing#{i}"
    end
    calls = (page...CACHES).step(PAGES).map { |i| "thing_#{i}" }
    module_eval("#{source.join("\n")}\ndef self.page_#{page}\n#{calls.join("\n")}\nend", "lazy_page_#{page}.rb", 1)
  end
end

run(lambda do |env|
  number = env["PATH_INFO"][/\d+\z/].to_i
  sleep(env["QUERY_STRING"][/\d+/].to_i / 1000.0)
  Lazy.public_send("page_#{((number * SCATTER) >> 16) % PAGES}")
  body = Process.pid.to_s
  [200, { "content-type" => "text/plain", "content-length" => body.bytesize.to_s }, [body]]
end)
