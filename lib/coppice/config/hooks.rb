# frozen_string_literal: true

require "coppice/config/catalogue"
require "coppice/config/hook"

module Coppice
  module Config
    HOOK_PLACES = {
      monitor: "the monitor",
      mold: "the mold or the promoted worker",
      worker: "the worker",
      service: "the service worker",
      observer: "the observer"
    }.freeze
    private_constant :HOOK_PLACES

    row = lambda do |name, arguments, process, doc, since: :pitchfork|
      Hook.new(name: name, arguments: arguments.freeze, process: process, since: since, doc: doc).freeze
    end

    # The catalogue of hooks: the only place where a hook is described. In the order in which a server calls them.
    HOOKS = Catalogue.new([
      row.call(:after_monitor_ready, %i[server], :monitor,
        "Called once, after the application is loaded and the first workers are started; with `worker_processes 0`, " \
        "once the process serves."),
      row.call(:before_fork, %i[server], :mold,
        "Called before a mold forks a worker, and before a worker forks a mold."),
      row.call(:after_fork_in_parent, %i[server], :mold,
        "Called after each fork of a worker or a mold, also a failed one. Start here again what `before_fork` " \
        "stopped.", since: :coppice),
      row.call(:after_mold_fork, %i[server mold], :mold,
        "Called in a cold mold after it has loaded the application, in a warm one after its promotion. Disconnect " \
        "here; `exit` refuses the promotion."),
      row.call(:after_worker_fork, %i[server worker], :worker,
        "Called in a new worker, and in a guest (its `nr` is nil). Reconnect and restart threads here."),
      row.call(:on_warm_up, %i[client], :worker,
        "The block of `warm_up_requests` (docs/warm_start.md#requests-with-a-block). `client.get(path, headers)` and " \
        "`client.request(method, path, headers, body)` return the status, and keep cookies.", since: :coppice),
      row.call(:after_worker_ready, %i[server worker], :worker,
        "Called right before a worker accepts its first request."),
      row.call(:after_request_complete, %i[server worker env], :worker,
        "Called after each request, when the client has its response. `exit` here ends an unhealthy worker."),
      row.call(:on_out_of_band, %i[server worker], :worker,
        "The block of `out_of_band`. It may take `timeout` seconds. After three exceptions in a row the worker does " \
        "not call it again.", since: :coppice),
      row.call(:after_worker_timeout, %i[server worker timeout_info], :worker,
        "Called on a second thread at the soft limit of a request, before `before_worker_exit`. `timeout_info` has " \
        "`thread`, `rack_env` and `copy_thread_variables!`."),
      row.call(:after_worker_hard_timeout, %i[server worker], :monitor,
        "Called right before the monitor kills a worker past its hard limit."),
      row.call(:before_worker_exit, %i[server worker], :worker,
        "Called on the main thread of a worker that is about to exit; after a soft limit only if that thread leaves " \
        "the application in time."),
      row.call(:after_worker_exit, %i[server worker status], :monitor,
        "Called when a worker has exited, with its Process::Status if known. `worker.exit_report` has cause, status, " \
        "requests, age, request_age, answered_ago, request, request_id, stack and peak_memory " \
        "(docs/log.md#why-a-process-exited)."),
      row.call(:before_service_worker_ready, %i[server service_worker], :service,
        "Requests a service worker, which runs the threads that this block starts, and is replaced after each " \
        "refork. The block must return; otherwise use `service`."),
      row.call(:before_service_worker_exit, %i[server service_worker], :service,
        "Called in the service worker after TERM."),
      row.call(:on_stats, %i[stats], :observer,
        "Called every 10 seconds, or as `on_stats(every: 60)` says, with `Coppice.stats` " \
        "(docs/monitoring.md#other-services-on_stats). The application is not loaded there: require gems within the " \
        "block.",
        since: :coppice)
    ])
  end
end
