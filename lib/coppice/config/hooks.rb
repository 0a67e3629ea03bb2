# frozen_string_literal: true

require "coppice/config/catalogue"
require "coppice/config/hook"

module Coppice
  module Config
    HOOK_PLACES = {
      monitor: "the monitor",
      mold: "the mold, or the worker that becomes one",
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
        "Called once, after the application is loaded and the first workers are started. With `worker_processes 0`, " \
        "which has no monitor: once the one process serves."),
      row.call(:before_fork, %i[server], :mold,
        "Called in a mold before it forks a worker, and in a worker before it forks a mold."),
      row.call(:after_fork_in_parent, %i[server], :mold,
        "Called after each fork in the process that forked, which is a mold or a worker. Also called when the " \
        "fork failed: what before_fork has stopped must start again here.", since: :coppice),
      row.call(:after_mold_fork, %i[server mold], :mold,
        "Called in a new mold: in a cold mold after the application is loaded, in a warm one after its promotion. " \
        "Use it to disconnect, to warm up, and to refuse the promotion with `exit` when something is wrong."),
      row.call(:after_worker_fork, %i[server worker], :worker,
        "Called in a new worker. Use it to reconnect and to restart threads. Also called in a guest, whose nr is nil."),
      row.call(:on_warm_up, %i[client], :worker,
        "The block of warm_up_requests. Called in the first worker of a cold mold, which no client can reach; at a " \
        "roll also in the new release's first worker, before it serves clients. `client.get(path, headers)` and " \
        "`client.request(method, path, headers, body)` return the status; cookies go with the next requests. An " \
        "exception is logged.", since: :coppice),
      row.call(:after_worker_ready, %i[server worker], :worker,
        "Called when the worker is set up, right before it accepts its first request."),
      row.call(:after_request_complete, %i[server worker env], :worker,
        "Called after each request, when the client has its response. Use it for work that no client should wait " \
        "for, or to `exit` a worker that is no longer healthy."),
      row.call(:on_out_of_band, %i[server worker], :worker,
        "The block of out_of_band. Called between two requests, when the worker has served some and no client waits. " \
        "It may take `timeout` seconds. An exception is logged; after three in a row the worker does not call the " \
        "block again.", since: :coppice),
      row.call(:after_worker_timeout, %i[server worker timeout_info], :worker,
        "Called on a second thread when the soft limit of a request has passed; then the worker calls " \
        "before_worker_exit and exits. `timeout_info` has `thread`, `rack_env` and `copy_thread_variables!`."),
      row.call(:after_worker_hard_timeout, %i[server worker], :monitor,
        "Called right before the monitor kills a worker that is past its hard limit."),
      row.call(:before_worker_exit, %i[server worker], :worker,
        "Called in a worker that is about to exit: on a graceful exit, or after the soft limit of a request. Runs on " \
        "the main thread. After a soft limit it runs once that thread has left the application, and within the rest " \
        "of the hard limit."),
      row.call(:after_worker_exit, %i[server worker status], :monitor,
        "Called when a worker has exited, with its Process::Status. Not called when the status is unknown. " \
        "`worker.exit_report` has cause, status, requests, age, request_age and answered_ago in seconds, request, " \
        "request_id, stack and peak_memory."),
      row.call(:before_service_worker_ready, %i[server service_worker], :service,
        "Requests a service worker: a process that serves no requests and runs the threads that this block starts. " \
        "The block must return. The service worker is never promoted, so code that is unsafe to fork is safe there. " \
        "It is replaced after each refork. To run something that does not return, or several processes, use " \
        "[`service`](#service)."),
      row.call(:before_service_worker_exit, %i[server service_worker], :service,
        "Called in the service worker when it got TERM and is about to exit."),
      row.call(:on_stats, %i[stats], :observer,
        "Called every 10 seconds, or as `on_stats(every: 60)` says, with the Hash of `Coppice.stats`, to send it to " \
        "a monitoring service. The file is evaluated once more for it, with the application's bundle but without the " \
        "application, so require the gem within the block. An exception is logged. See docs/monitoring.md.",
        since: :coppice)
    ])
  end
end
