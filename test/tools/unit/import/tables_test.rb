# frozen_string_literal: true

require "test_helper"
require "coppice/compatibility/unicorn_dsl"
require "support/pages/import_reference"

module Coppice
  module Import
    # The tables name what there is, on both sides.
    class TablesTest < TestCase
      # Directives of Puma 5 to 8, without the methods of its DSL that are no directives.
      PUMA = %i[
        activate_control_app after_booted after_refork after_stopped after_worker_boot after_worker_fork
        after_worker_shutdown app before_fork before_refork before_restart before_thread_exit before_thread_start
        before_worker_boot before_worker_fork before_worker_shutdown bind bind_to_activated_sockets clean_thread_locals
        clear_binds! custom_logger debug directory drain_on_shutdown early_hints enable_keep_alives environment
        extra_runtime_dependencies fiber_per_request first_data_timeout force_shutdown_after fork_worker
        http_content_length_limit idle_timeout io_selector_backend load log_formatter log_requests
        lowlevel_error_handler max_fast_inline max_io_threads max_keep_alive mutate_stdout_and_stderr_to_sync_on_write
        nakayoshi_fork on_booted on_refork on_restart on_stopped on_thread_exit on_thread_start on_worker_boot
        on_worker_fork on_worker_shutdown out_of_band persistent_timeout pidfile plugin port preload_app! prune_bundler
        queue_requests quiet rack_url_scheme rackup raise_exception_on_sigterm restart_command set_default_host
        set_remote_address shutdown_debug silence_fork_callback_warning silence_single_worker_warning single ssl_bind
        state_path state_permission stdout_redirect supported_http_methods tag threads wait_for_less_busy_worker
        worker_boot_timeout worker_check_interval worker_culling_strategy worker_shutdown_timeout worker_timeout
        workers
      ].freeze
      UNICORN = %i[
        after_fork after_worker_exit after_worker_ready before_exec before_fork check_client_connection
        client_body_buffer_size default_middleware early_hints listen listeners logger pid preload_app rewindable_input
        stderr_path stdout_path timeout user worker_exec worker_processes working_directory
      ].freeze

      test "every directive is known" do
        assert_empty PUMA - Puma::DIRECTIVES.keys
        assert_empty UNICORN - Unicorn::DIRECTIVES.keys
        assert_equal UNICORN, UNICORN & Compatibility::UnicornDsl.public_instance_methods
      end

      test "what they become is there" do
        methods = Config::Dsl.public_instance_methods.map(&:to_s)
        targets = SERVERS.flat_map { |server| server::DIRECTIVES.values }.reject { |row| row.outcome == :dropped }
                         .flat_map { |row| row.target.split(", ") }.map { |target| target[/\w+/] }

        assert_empty targets.uniq - methods
      end

      test "hooks are hooks, and say so when they run elsewhere" do
        rows = SERVERS.flat_map { |server| server::DIRECTIVES.values }.select(&:hook)

        assert_operator rows.size, :>, 20
        rows.each { |row| assert_includes Config::HOOKS.names, row.target.to_sym }
      end

      test "what has changed or is dropped has a reason" do
        rows = SERVERS.flat_map { |server| server::DIRECTIVES.values }.reject { |row| row.outcome == :taken }

        assert_empty(rows.reject { |row| row.note.to_s.size > 10 }.map(&:names))
      end

      test "the page has the tables" do
        page = File.read(File.expand_path("../../../../docs/migrating.md", __dir__), encoding: "UTF-8")

        assert_equal Reference.new(page).to_markdown, page, "run: rake docs"
        (PUMA + UNICORN).each { |name| assert_includes page, "`#{name}`" }
      end
    end
  end
end
