# frozen_string_literal: true

Coppice::Presets.define(:sidekiq, gem: "sidekiq", constant: "Sidekiq::Client", versions: "7"..., tested: true,
  verdict: :handled,
  does: "nothing: the client uses redis-client in a connection_pool",
  advice: "nothing to enqueue jobs. Run an embedded Sidekiq only in a `service`",
  older: "nothing with redis 4 or newer",
  why: "Two processes would read each other's answers. The threads of an embedded Sidekiq do not survive a fork.",
  source: "lib/sidekiq/redis_connection.rb")
