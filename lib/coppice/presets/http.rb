# frozen_string_literal: true

# Before 6.0 `HTTP.persistent` answered a Client; now a Session, which has clients.
persistent = -> { ObjectSpace.each_object(HTTP::Session).select(&:persistent?) }

Coppice::Presets.define(:http, gem: "http", constant: "HTTP::Client", versions: "6"..."7", tested: true,
  verdict: :acts, calls: { before: -> { persistent.call.each(&:close) } },
  does: "closes persistent sessions before a fork: `session.close`. They reconnect on demand",
  advice: "nothing, unless a background thread uses such a session at that moment: its request fails",
  older: "`before_fork`: `client.close` for what `HTTP.persistent` has returned",
  why: "Two processes would read each other's answers.",
  source: "lib/http/session.rb, lib/http/client.rb of httprb/http")
