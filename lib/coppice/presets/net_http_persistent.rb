# frozen_string_literal: true

Coppice::Presets.define(:net_http_persistent, gem: "net-http-persistent", constant: "Net::HTTP::Persistent",
  versions: "4.0.8"..."5", tested: true, verdict: :acts,
  calls: { before: -> { ObjectSpace.each_object(Net::HTTP::Persistent).each(&:reload) } },
  does: "closes idle connections before a fork: `http.reload`",
  advice: "nothing, with connection_pool 2.4 or newer",
  older: "`after_mold_fork`: `http.shutdown` for each `Net::HTTP::Persistent` that is kept",
  why: "connection_pool closes the parent's connections in each copy. With TLS that ends them for the parent too.",
  source: "lib/net/http/persistent.rb (reload); connection_pool's lib/connection_pool/fork.rb")
