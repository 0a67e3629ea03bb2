# frozen_string_literal: true

Coppice::Presets.define(:sidekiq, gem: "sidekiq", constant: "Sidekiq::Client", versions: "7"..., tested: true,
  verdict: :handled,
  does: "nothing: the client uses redis-client in a connection_pool",
  advice: "nothing to enqueue jobs. Run an embedded Sidekiq only in a `service`",
  older: "nothing with redis 4 or newer",
  why: "A shared socket would mix up the answers of two processes. The threads of an embedded Sidekiq do not exist " \
       "in a copy.",
  source: "lib/sidekiq/redis_connection.rb")
