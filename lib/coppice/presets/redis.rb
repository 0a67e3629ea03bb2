# frozen_string_literal: true

Coppice::Presets.define(:redis, gem: "redis", constant: "Redis", versions: "4"..., tested: true, verdict: :handled,
  reconnecting: %w[Redis::Connection::Ruby],
  does: "nothing: the library connects again in each process",
  advice: "nothing for commands. A thread that waits in `subscribe` does not exist in a copy: start it in " \
          "`after_worker_fork`",
  why: "A shared socket would mix up the answers of two processes.",
  source: "CHANGELOG.md; redis-client's lib/redis_client/pid_cache.rb")
