# frozen_string_literal: true

Coppice::Presets.define(:redis_client, gem: "redis-client", constant: "RedisClient", versions: "0.12"...,
  tested: true, verdict: :handled,
  reconnecting: %w[RedisClient::RubyConnection],
  does: "nothing: the library compares the pid at each use, closes only its own descriptor of the socket, also with " \
        "TLS, and connects again",
  advice: "nothing, unless you set `inherit_socket: true`",
  older: "`after_worker_fork`: `client.close`",
  why: "A shared socket would mix up the answers of two processes.",
  source: "lib/redis_client/pid_cache.rb, lib/redis_client/ruby_connection/buffered_io.rb")
