# frozen_string_literal: true

require "coppice/config/catalogue"
require "coppice/errors"
require "coppice/fork_safety/stray_copy"

module Coppice
  module Config
    HOOK_PLACES = {
      monitor: "the monitor", mold: "the mold, or the worker that becomes one", worker: "the worker", service: "the service worker"
    }.freeze
    private_constant :HOOK_PLACES

    # One row of the catalogue of hooks: its name, the arguments its block gets, the process that calls it, and when.
    Hook = Struct.new(:name, :arguments, :process, :since, :doc, keyword_init: true) do
      # Answers a Proc that can be called with all arguments of the hook, or nil for nil. A block may take fewer. A
      # process that it forks does not come out of it.
      # Raises InvalidValue when it asks for more.
      #: (untyped) -> Proc?
      def check(block)
        return if block.nil?
        raise InvalidValue, "takes a block, but got #{block.inspect[0, 80]}" unless block.respond_to?(:to_proc) && !block.is_a?(Symbol)

        ForkSafety::StrayCopy.end_after_each(fit(block.to_proc))
      end

      # The process that calls the block, for people.
      def place #: () -> String
        HOOK_PLACES.fetch(process)
      end

      # The hook as one writes it in a config file.
      def example #: () -> String
        "#{name} do |#{arguments.join(', ')}|\nend"
      end

      private

      def fit(block)
        kinds = block.parameters.map(&:first)
        refuse(block) if kinds.include?(:keyreq) || required(block) > arguments.size
        return block if !block.lambda? || kinds.include?(:rest)

        taken = kinds.count { |kind| %i[req opt].include?(kind) }
        taken >= arguments.size ? block : ->(*all) { block.call(*all.first(taken)) }
      end

      # Ruby says -n-1 for "n, and optional ones".
      def required(block)
        block.arity.negative? ? ~block.arity : block.arity
      end

      def refuse(block)
        names = arguments.join(", ")
        raise InvalidValue, "is called with #{arguments.size} (#{names}), but the block asks for #{required(block)}: write |#{names}|"
      end
    end

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
