# frozen_string_literal: true

Coppice::Presets.define(:concurrent_ruby, gem: "concurrent-ruby", constant: "Concurrent", versions: "1.3"...,
  tested: true, verdict: :handled,
  restarts: %w[concurrent-ruby],
  does: "nothing: a thread pool notices at the next `post` that it was forked, drops what the parent had queued, " \
        "and starts threads of its own",
  advice: "nothing for pools, futures and promises. Create a `Concurrent::TimerTask` in `after_worker_fork`",
  older: "create executors in `after_worker_fork`",
  why: "Threads do not exist in a copy. A `TimerTask` counts as running, and is not started again.",
  source: "lib/concurrent-ruby/concurrent/executor/ruby_thread_pool_executor.rb, timer_task.rb")
