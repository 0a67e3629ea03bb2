# frozen_string_literal: true

Coppice::Presets.define(:redis, gem: "redis", constant: "Redis", versions: "4"..., tested: true, verdict: :handled,
  reconnecting: %w[Redis::Connection::Ruby],
  does: "nothing: the library reconnects in each process",
  advice: "nothing for commands. Start a thread that waits in `subscribe` in `after_worker_fork`",
  why: "Two processes would read each other's answers.",
  source: "CHANGELOG.md; redis-client's lib/redis_client/pid_cache.rb")
