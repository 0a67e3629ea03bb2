# frozen_string_literal: true

Coppice::Presets.define(:httpx, gem: "httpx", constant: "HTTPX::Session", versions: "1.9"..."2", tested: true,
  verdict: :acts,
  calls: { before: -> { ObjectSpace.each_object(HTTPX::Session).each(&:close) } },
  does: "closes idle connections before a fork: `session.close`",
  advice: "nothing",
  older: "`before_fork`: `session.close`",
  why: "Two processes would read each other's answers. The library's own `close_on_fork: true` ends a TLS or HTTP/2 " \
       "connection of the parent.",
  source: "lib/httpx/session.rb")
