# frozen_string_literal: true

require "coppice/config/catalogue"
require "coppice/config/hook"

module Coppice
  module Config
    row = lambda do |name, arguments, process, doc|
      Hook.new(name: name, arguments: arguments.freeze, process: process, since: :pitchfork, doc: doc).freeze
    end

    # The catalogue of hooks: the only place where a hook is described. In the order in which a server's life calls them.
    HOOKS = Catalogue.new([
      row.call(:after_monitor_ready, %i[server], :monitor,
        "Called once, when the application has been loaded and the first workers have been started."),
      row.call(:before_fork, %i[server], :mold,
        "Called in a mold before it forks a worker, and in a worker before it forks a mold."),
      row.call(:after_mold_fork, %i[server mold], :mold,
        "Called in a new mold: in the first one after the application has been loaded, in each later one after its promotion. " \
        "The place to disconnect, to warm up, and to refuse the promotion with `exit` when something is wrong."),
      row.call(:after_worker_fork, %i[server worker], :worker,
        "Called in a new worker: the place to reconnect and to start threads again."),
      Hook.new(name: :on_warm_up, arguments: %i[client].freeze, process: :worker, since: :coppice,
        doc: "What warm_up_requests calls when it is given a block: in the first worker of a cold mold, which no client can reach. " \
             "`client.get(path, **headers)`, `client.request(method, path, headers, body)` answer the status; what it raises is " \
             "logged.").freeze,
      row.call(:after_worker_ready, %i[server worker], :worker,
        "Called when the worker is fully set up, right before it accepts its first request."),
      row.call(:after_request_complete, %i[server worker env], :worker,
        "Called after each request, when the client has its answer: the place for work that no client should wait for, " \
        "or to `exit` a worker that is no longer healthy."),
      row.call(:after_worker_timeout, %i[server worker timeout_info], :worker,
        "Called on a second thread when the soft limit of a request has passed; then the worker calls before_worker_exit and " \
        "exits. `timeout_info` answers `thread`, `rack_env` and `copy_thread_variables!`."),
      row.call(:after_worker_hard_timeout, %i[server worker], :monitor,
        "Called right before the monitor ends a worker that is past its hard limit."),
      row.call(:before_worker_exit, %i[server worker], :worker,
        "Called in a worker that is about to leave: in good order, or after the soft limit of a request. Runs on the main thread; " \
        "after a soft limit once that thread has left the application, and within what remains of the hard limit."),
      row.call(:after_worker_exit, %i[server worker status], :monitor,
        "Called when a worker has ended, with its Process::Status; not for one whose status nobody knows. `worker.exit_report` " \
        "answers cause, status, requests, age and request_age in seconds, request and peak_memory."),
      row.call(:before_service_worker_ready, %i[server service_worker], :service,
        "Asks for a service worker: a process that takes no requests and runs the threads that this block starts. " \
        "The block must return; it is never promoted, so that anything unsafe to fork is safe there."),
      row.call(:before_service_worker_exit, %i[server service_worker], :service,
        "Called in the service worker when it is about to leave.")
    ])
  end
end
