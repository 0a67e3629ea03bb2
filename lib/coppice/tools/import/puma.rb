# frozen_string_literal: true

require "coppice/tools/import/entry"
require "coppice/tools/import/foreign"
require "coppice/tools/import/puma_defaults"
require "coppice/tools/import/puma_rewrites"
require "coppice/tools/import/table"

module Coppice
  module Import
    # The directives of Puma 5 to 8.
    module Puma
      TITLE = "Puma"
      FILE = "config/puma.rb"
      # Directives that are called without an argument.
      BARE = %i[activate_control_app bind_to_activated_sockets clear_binds! clean_thread_locals daemonize debug
                drain_on_shutdown early_hints enable_keep_alives extra_runtime_dependencies fiber_per_request
                force_shutdown_after fork_worker log_requests mutate_stdout_and_stderr_to_sync_on_write nakayoshi_fork
                preload_app! prometheus_silence_logger prune_bundler queue_requests quiet rack_url_scheme
                raise_exception_on_sigterm set_remote_address shutdown_debug silence_fork_callback_warning
                silence_single_worker_warning wait_for_less_busy_worker].freeze
      CALLS_ALL_BLOCKS = true # of one hook
      # Directives whose block is a part of the file.
      WRAPPERS = %i[cluster].freeze
      # The exporter's part for Puma reads Puma.stats.
      FOREIGN = Foreign.new(constants: %w[Puma PumaWorkerKiller PrometheusExporter::Instrumentation::Puma],
        variables: %i[@config @options], features: %r{\A(?:puma|localhost\b)|/puma/plugin/})

      SIGNALS = "HUP stops the server (`coppice reopen-logs` reopens log files), USR2 reforks, USR1 rolls to the " \
                "release in the server's directory: docs/migrating.md"

      EXCEPTIONS = "Puma logs an exception of a hook and calls the next block. Here it ends the worker, or the mold " \
                   "and the boot, and in before_fork nothing is forked: rescue in the block what may fail"
      # Hooks of Coppice of which this holds. In the others an exception is logged, or the process exits anyway.
      STRICT = %w[after_mold_fork after_worker_fork after_worker_ready before_fork].freeze

      DIRECTIVES = Table.build do |table|
        rewrites = PumaRewrites
        table.change(:workers, to: :worker_processes, note: "a worker serves one request at a time",
          &rewrites.method(:workers))
        table.drop(:threads, :max_io_threads, note: "a worker serves one request at a time: see `worker_processes`")
        table.drop(:single, note: "it counts without workers only", settled: true)
        table.take(:port, to: :listen, &rewrites.method(:port))
        table.take(:bind, to: :listen, &rewrites.method(:bind))
        table.drop(:ssl_bind, note: rewrites::NO_TLS)
        table.drop(:bind_to_activated_sockets, :clear_binds!,
          note: "systemd's sockets are taken by their address, or with `FileDescriptorName=listen`: docs/deployment.md")
        table.drop(:set_default_host, note: "write the host in `listen`")
        table.change(:stdout_redirect, to: "stdout_path, stderr_path", note: "it always appends",
          &rewrites.method(:stdout_redirect))

        table.take(:early_hints, note: "not behind every proxy (docs/proxies.md)") do |call|
          call.as(:early_hints, call.text("true"))
        end
        table.change(:log_requests, to: :access_log, note: "in another format") do |call|
          rewrites.access_log(call, "if")
        end
        table.change(:quiet, to: :access_log, note: "where it is false") { |call| rewrites.access_log(call, "unless") }
        table.take(:http_content_length_limit, to: :max_body_bytes, &rewrites.number_for(:max_body_bytes))
        table.take(:first_data_timeout, to: :client_header_timeout, &rewrites.number_for(:client_header_timeout))
        table.change(:persistent_timeout, to: :keepalive_timeout,
          note: "`trusted:`, for proxies, stays at 75 s unless this is longer or 0; it must exceed the proxy's idle " \
                "timeout",
          &rewrites.method(:persistent_timeout))
        table.change(:enable_keep_alives, to: "keepalive_timeout 0", note: "where it is false") do |call|
          next call.drop("connections are kept open anyway") unless call.value == false

          call.as(:keepalive_timeout, "0", "trusted: 0")
        end
        table.change(:worker_timeout, to: :timeout, recast: true,
          note: "it limits each request: the client gets 503, and the worker is replaced",
          &rewrites.number_for(:timeout))
        table.change(:worker_boot_timeout, to: :boot_timeout,
          note: "for loading the application, once; `spawn_timeout` limits a fork", &rewrites.number_for(:boot_timeout))
        table.change(:fork_worker, to: :refork_after, note: "the last count repeats; `:auto` decides by memory",
          &rewrites.method(:fork_worker))

        # Hooks. A number stands for the worker: Puma gives its block the worker's index. A block with a key gets a Hash
        # as well: see preamble.
        table.hook(:before_fork, to: :after_mold_fork, origins: ["nil"],
          note: "runs in each new mold before it forks workers")
        table.hook(:before_worker_fork, :on_worker_fork, to: :before_fork, origins: ["nil"],
          unknown: "the worker's number", note: "runs in the mold, without the worker's number")
        table.hook(:after_worker_fork, :after_worker_boot, to: :after_fork_in_parent, origins: ["nil"],
          unknown: "the worker's number",
          note: "runs in the mold, without the worker's number (Coppice's own `after_worker_fork` runs in the worker)")
        table.hook(:before_worker_boot, :on_worker_boot, to: :after_worker_fork, origins: ["worker.nr"])
        table.hook(:before_worker_shutdown, :on_worker_shutdown, to: :before_worker_exit, origins: ["worker.nr"])
        table.hook(:after_worker_shutdown, to: :after_worker_exit, origins: ["worker"],
          note: "runs in the monitor, without the application; `worker.nr` was `handle.index`")
        table.hook(:before_refork, :on_refork, to: :after_mold_fork, origins: ["nil"],
          note: "runs in each new mold, also in the first one")
        table.hook(:after_booted, :on_booted, to: :after_monitor_ready, origins: [],
          note: "runs in the monitor, without the application")
        table.hook(:before_thread_start, :on_thread_start, to: :after_worker_ready, origins: [],
          note: "runs once in each worker")
        table.hook(:before_thread_exit, :on_thread_exit, to: :before_worker_exit, origins: [],
          note: "runs once in each worker")
        table.hook(:out_of_band, to: :on_out_of_band, origins: [],
          note: "runs in idle workers, in at most a tenth of them at once")
        table.drop(:after_refork, note: "the mold serves no requests, so nothing has to reconnect", settled: true)
        table.drop(:before_restart, :on_restart,
          note: "nothing is replaced by exec; `coppice roll` takes the next release's bundle: docs/deploys.md")
        table.drop(:after_stopped, :on_stopped, note: "use the process manager, such as ExecStopPost of systemd")
        table.drop(:lowlevel_error_handler, note: "an exception that leaves the application gets 500; use a Rack " \
                                                  "middleware")

        # Processes and files of the server.
        table.drop(:preload_app!, note: "the application is always loaded before the fork", settled: true)
        table.drop(:prune_bundler, :extra_runtime_dependencies, settled: true,
          note: "the monitor never loads the bundle")
        table.drop(:nakayoshi_fork, note: "a mold always prepares its heap: see warmup", settled: true)
        table.drop(:environment, note: "set `RACK_ENV` or `RAILS_ENV`, or start with `-E NAME`",
          &rewrites.method(:environment))
        table.drop(:rackup, note: "give the file as an argument: `coppice FILE`", &rewrites.method(:rackup))
        table.drop(:app, note: "`run` it in config.ru")
        table.take_directory(:directory)
        table.take_file(:pidfile)
        table.drop(:state_path, :state_permission, note: "commands find the server by themselves", settled: true)
        table.drop(:activate_control_app, note: "use `coppice status`, `stop` and so on; for metrics `admin_listen`")
        table.change(:plugin, to: :service, note: "for `solid_queue`; there are no other plugins",
          &rewrites.method(:plugin))
        table.drop(:metrics_url, :prometheus_exporter_url, :prometheus_silence_logger, :on_prometheus_exporter_boot,
          note: "a directive of a plugin; use `admin_listen`: docs/monitoring.md")
        table.drop(:solid_queue_mode, note: "a directive of a plugin; the service forks Solid Queue's workers")
        table.drop(:load, :_load_from, note: "import that file too, and add its lines")
        table.drop(:restart_command, :tag, :debug, :custom_logger, :log_formatter,
          note: "see `logger`, `log_level` and `log_format`; process titles have no tag")
        table.drop(:daemonize, :worker_directory, note: "let the process manager run the server")

        # What Coppice does by itself.
        table.drop(:wait_for_less_busy_worker, :worker_check_interval, :io_selector_backend, :queue_requests,
          :max_fast_inline, :max_keep_alive, :fiber_per_request, :clean_thread_locals,
          :mutate_stdout_and_stderr_to_sync_on_write, settled: true,
          note: "the lobby gives each request to an idle worker")
        table.drop(:drain_on_shutdown, note: "clients in the queue are always served", settled: true)
        table.drop(:force_shutdown_after, :worker_shutdown_timeout, :shutdown_debug,
          note: "`timeout`, with its `cold:` and `cleanup:`, limits a graceful stop")
        table.drop(:idle_timeout, note: "the server never stops by itself", settled: true)
        table.drop(:worker_culling_strategy, note: "TTOU stops the worker with the highest number", settled: true)
        table.drop(:raise_exception_on_sigterm, note: "the exit status after TERM is 0", settled: true)
        table.drop(:silence_single_worker_warning, :silence_fork_callback_warning, settled: true,
          note: "there is no such warning")
        table.drop(:supported_http_methods, note: "all registered methods are accepted", settled: true)
        table.drop(:rack_url_scheme,
          note: "X-Forwarded-Proto from `trusted_proxies` decides, or the listener: `listen …, scheme: :https`",
          &rewrites.method(:rack_url_scheme))
        table.drop(:set_remote_address,
          note: "`REMOTE_ADDR` is the peer, or the client of the PROXY protocol: `listen …, proxy_protocol: true`",
          &rewrites.method(:remote_address))
      end

      # Lines for what Puma does without a directive: name of an option, line, and reason.
      #: (Translator) -> Array[[Symbol, String, String]]
      def self.additions(translator) = PumaDefaults.new(translator).lines

      # What Puma's blocks with a key share: `before_worker_boot(:redis) { |index, data| data[:client] = … }`.
      HOOK_DATA = "# The data of hooks, by their keys.\nhook_data = Hash.new { |all, key| all[key] = {} }"

      # Lines in front of a translated text, if it needs any.
      #: (String) -> String?
      def self.preamble(body) = (HOOK_DATA if body.include?("hook_data["))

      # The entries of the report, with what follows from the whole file.
      #: (Array[Entry], Translator) -> Array[Entry]
      def self.advised(entries, translator)
        strict = DIRECTIVES.select { |_, row| row.hook && STRICT.include?(row.target) }.keys
        hooks = Entry.new(name: :hooks, outcome: :changed, note: EXCEPTIONS)
        [*PumaDefaults.new(translator).advised(entries), *([hooks] unless translator.kept(*strict).empty?),
         Entry.new(name: :signals, outcome: :changed, note: SIGNALS)]
      end
    end
  end
end
