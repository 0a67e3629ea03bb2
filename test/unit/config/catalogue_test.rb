# frozen_string_literal: true

require "test_helper"
require "coppice/config/loader"

module Coppice
  module Config
    class CatalogueTest < TestCase
      PITCHFORK_OPTIONS = %i[
        worker_processes listen timeout timeout_signal spawn_timeout max_consecutive_spawn_errors refork_after
        refork_max_unavailable setpgid early_hints rewindable_input check_client_connection
        client_body_buffer_size logger
      ].freeze

      PITCHFORK_HOOKS = {
        after_monitor_ready: 1, before_fork: 1, after_mold_fork: 2, after_worker_fork: 2, after_worker_ready: 2,
        after_worker_timeout: 3, after_worker_hard_timeout: 2, before_worker_exit: 2, after_worker_exit: 3,
        after_request_complete: 3, before_service_worker_ready: 2, before_service_worker_exit: 2
      }.freeze

      PITCHFORK_LISTEN_OPTIONS = %i[
        backlog rcvbuf sndbuf tcp_nodelay tcp_nopush tcp_defer_accept ipv6only
        reuseport queues queues_per_worker umask tries delay
      ].freeze

      test "every option of Pitchfork is there" do
        assert_equal PITCHFORK_OPTIONS.sort, OPTIONS.select { |option| option.since == :pitchfork }.map(&:name).sort
      end

      test "every hook of Pitchfork is there, with as many arguments" do
        assert_equal PITCHFORK_HOOKS,
          HOOKS.select { |hook| hook.since == :pitchfork }.to_h { |hook| [hook.name, hook.arguments.size] }
      end

      test "every listen option of Pitchfork is there" do
        assert_equal PITCHFORK_LISTEN_OPTIONS.sort, (LISTEN_OPTIONS.names - [:lobby, :proxy_protocol, :scheme]).sort
      end

      test "each default has the type of its option" do
        OPTIONS.each { |option| assert_default option }
        LISTEN_OPTIONS.each { |option| assert_default option }
      end

      test "the defaults of listen options are those of addresses" do
        assert_equal Listeners::DEFAULT_OPTIONS.keys.sort, LISTEN_OPTIONS.names.sort
      end

      test "each example sets its option" do
        OPTIONS.each do |option|
          result = evaluate(option.example)
          assert_includes result.values.keys, option.name
        end
      end

      test "each example of a hook sets it" do
        HOOKS.each { |hook| assert_kind_of Proc, evaluate(hook.example).hooks.fetch(hook.name) }
      end

      test "each option has a sentence that fits beside its flag" do
        OPTIONS.each do |option|
          assert_match(/\A[A-Z:].*\.\z/, option.doc, option.name)
          assert_operator option.summary.size, :<, 130, option.name
        end
      end

      test "each option belongs to the server or to the release" do
        OPTIONS.each { |option| assert_includes SCOPES, option.scope, option.name }
        assert_equal %i[server release], [OPTIONS[:listen].scope, OPTIONS[:early_hints].scope]
      end

      test "a number that the board or the reader of bodies has no room for is refused" do
        { canary_requests: Maximum::C_INT, client_body_buffer_size: Maximum::BYTES }.each do |name, maximum|
          assert_equal maximum, OPTIONS[name].type.check(maximum)
          error = assert_raises(InvalidValue) { OPTIONS[name].type.check(10**30) }
          assert_match(/ to #{maximum}, but is 10{30}\z/, error.message)
        end
      end

      test "no two options share a flag" do
        flags = OPTIONS.filter_map(&:flag)
        assert_equal flags.uniq, flags
      end

      test "all rows are frozen" do
        [*OPTIONS, *HOOKS, *LISTEN_OPTIONS].each { |row| assert_predicate row, :frozen? }
        OPTIONS.each { |option| assert_predicate option.default, :frozen?, option.name }
      end

      test "an unknown name is a KeyError" do
        assert_raises(KeyError) { OPTIONS[:nonsense] }
        refute_includes OPTIONS.names, :nonsense
      end

      private

      def assert_default(option)
        return assert_nil(option.default) if option.default.nil?

        assert_equal option.default, option.type.check(option.default), option.name
      end

      def evaluate(text)
        with_tmpdir do |folder|
          File.write(File.join(folder, "coppice.rb"), text.gsub("log/server.log", File::NULL))
          ConfigFile.read("coppice.rb", directory: folder)
        end
      end
    end
  end
end
