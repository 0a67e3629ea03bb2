# frozen_string_literal: true

Coppice::Presets.define(:redis_client, gem: "redis-client", constant: "RedisClient", versions: "0.12"...,
  tested: true, verdict: :handled,
  reconnecting: %w[RedisClient::RubyConnection],
  does: "nothing: the library compares the pid at each use and reconnects",
  advice: "nothing, unless you set `inherit_socket: true`. Subscribe in `after_worker_fork`: copies share a `PubSub`." \
          " With hiredis-client overlook a `shared_connection` of the fork audit: no copy uses it",
  older: "`after_worker_fork`: `client.close`",
  why: "Two processes would read each other's answers.",
  source: "lib/redis_client/pid_cache.rb, lib/redis_client/ruby_connection/buffered_io.rb")
