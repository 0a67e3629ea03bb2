# frozen_string_literal: true

Coppice::Presets.define(:concurrent_ruby, gem: "concurrent-ruby", constant: "Concurrent", versions: "1.3"...,
  tested: true, verdict: :handled,
  restarts: %w[concurrent-ruby],
  does: "nothing: a forked pool drops its parent's queue and starts threads at the next `post`",
  advice: "nothing for pools, futures and promises. Create a `Concurrent::TimerTask` in `after_worker_fork`",
  older: "create executors in `after_worker_fork`",
  why: "A `TimerTask` counts as running, but its thread does not survive a fork.",
  source: "lib/concurrent-ruby/concurrent/executor/ruby_thread_pool_executor.rb, timer_task.rb")
