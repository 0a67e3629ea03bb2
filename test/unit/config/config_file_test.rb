# frozen_string_literal: true

require "test_helper"
require "coppice/config/config_file"

module Coppice
  module Config
    class ConfigFileTest < TestCase
      test "values are kept with their origin" do
        result = evaluate("worker_processes 4\n\ntimeout 10, cleanup: 3\n")
        assert_equal({ worker_processes: 4, timeout: 10, timeout_cleanup: 3, timeout_cold: nil }, result.values)
        assert_equal "coppice.rb:1", result.origins[:worker_processes]
        assert_equal "coppice.rb:3", result.origins[:timeout_cleanup]
      end

      test "the last line wins" do
        assert_equal 5, evaluate("worker_processes 4\nworker_processes 5").values[:worker_processes]
      end

      test "a timeout without cleanup has the default one" do
        assert_equal 2, evaluate("timeout 10, cleanup: 5\ntimeout 9").values[:timeout_cleanup]
        assert_equal [:fitted, true], evaluate("gc_profile :fitted, wait: true").values.fetch_values(:gc_profile,
                                                                                               :gc_profile_wait)
        [%q(gc_profile "RUBY_GC_MALLOC_LIMIT" => 1), %q(gc_profile({ RUBY_GC_MALLOC_LIMIT: 1 }))].each do |line|
          assert_equal({ "RUBY_GC_MALLOC_LIMIT" => "1" }, evaluate(line).values[:gc_profile])
        end
      end

      test "limits for paths add up, and a wrong one is refused with its line" do
        values = evaluate("timeout_for '/a', 2\ntimeout_for %r{b}, 3").values

        assert_equal [[:path, "/a", 2], [:regexp, "(?-mix:b)", 3]], values[:timeout_for]
        error = assert_raises(ConfigError) { evaluate("timeout_for '/a', 2\ntimeout_for 'exports', 3") }
        assert_match(/coppice\.rb:2: .*timeout_for must be a path such as/, error.message)
      end

      test "a timeout signal is a name or a block" do
        assert_equal :TERM, evaluate("timeout_signal :TERM").values[:timeout_signal]
        assert_equal :QUIT, evaluate("timeout_signal { |pid| :QUIT }").values[:timeout_signal].call(1)
        assert_equal :QUIT, evaluate("timeout_signal ->(pid) { :QUIT }").values[:timeout_signal].call(1)
      end

      test "a warm-up is paths, a block, or both" do
        both = evaluate("warm_up_requests '/', '/up' do |client| client.get('/late') end")
        assert_equal ["/", "/up"], both.values[:warm_up_requests]
        assert_instance_of Proc, both.hooks[:on_warm_up]
        assert_equal ["/a"], evaluate("warm_up_requests ['/a']").values[:warm_up_requests]
        assert_equal ["/", :learned], evaluate("warm_up_requests '/', :learned").values[:warm_up_requests]
        assert_nil evaluate("warm_up_requests { |client| client.get('/') }").values[:warm_up_requests]
        assert_nil evaluate("warm_up_requests '/'\nwarm_up_requests nil").values[:warm_up_requests]
        assert evaluate("warm_up_requests(wait: true) { |_client| }").values[:warm_up_wait]
        refute evaluate("warm_up_requests '/', wait: true\nwarm_up_requests '/'").values[:warm_up_wait]
      end

      test "out-of-band work is :gc, a block, or both" do
        both = evaluate("out_of_band :gc do |_server, _worker| end")
        assert_equal :gc, both.values[:out_of_band]
        assert_instance_of Proc, both.hooks[:on_out_of_band]
        assert_equal [[:gc, nil], [nil, Proc], [nil, nil]],
          ["out_of_band :gc", "out_of_band { }", "out_of_band(:gc) { }\nout_of_band nil"].map { |text|
            result = evaluate(text)
            [result.values[:out_of_band], result.hooks[:on_out_of_band]&.class]
          }
        ["out_of_band", "out_of_band :jit", "out_of_band :gc, :gc"].each do |text|
          assert_raises(ConfigError) { evaluate(text) }
        end
      end

      test "constants are those of the application, in hooks as well, and not of Coppice" do
        result = evaluate("before_fork { Settings }\nafter_worker_fork { [defined?(Types), defined?(Board)] }")
        error = assert_raises(NameError) { result.hooks[:before_fork].call }

        assert_equal :Settings, error.name
        assert_equal [nil, nil], result.hooks[:after_worker_fork].call
      end

      test "addresses add up" do
        result = evaluate("listen 3000\nlisten '/tmp/a.sock', backlog: 64\nlisten 4000, :tcp_nopush => true\n" \
                          "listen 5000, { backlog: 1 }")
        assert_equal %w[0.0.0.0:3000 /tmp/a.sock 0.0.0.0:4000 0.0.0.0:5000], result.values[:listen].map(&:to_s)
        assert_equal [nil, 64, nil, 1], result.values[:listen].map { |address| address.options[:backlog] }
        assert result.values[:listen][2].options[:tcp_nopush]
      end

      test "an address that is named twice has the options of both lines" do
        listen = evaluate("listen 3000, backlog: 64\nlisten '*:3000', umask: 0o77").values[:listen]
        assert_equal ["0.0.0.0:3000"], listen.map(&:to_s)
        assert_equal [64, 0o77], listen.first.options.values_at(:backlog, :umask)
      end

      test "nil stands for the default of a listen option" do
        listen = evaluate("listen 3000, backlog: nil, tcp_nodelay: nil, tcp_defer_accept: false").values[:listen]
        options = listen.first.options
        assert_equal [nil, true, 0], options.values_at(:backlog, :tcp_nodelay, :tcp_defer_accept)
      end

      test "the list of all addresses can be given at once" do
        assert_equal %w[0.0.0.0:1 0.0.0.0:2], evaluate("listen 9\nlisteners [1, 2]").values[:listen].map(&:to_s)
      end

      test "a list may stand without its brackets" do
        { listeners: "1, 2", admin_listen: "1, '/run/admin'", refork_after: "50, 100, false", admin_hosts: "'a', 'b'",
          trusted_proxies: "'10.0.0.1', '::1'", warm_up_requests: "'/', '/new'" }.each do |name, values|
          bare, listed = ["#{name} #{values}", "#{name} [#{values}]"].map { |line| evaluate(line).values }
          assert_equal listed, bare
          refute_empty listed
        end
        lists = OPTIONS.select { |option| option.type.list? }.map(&:name)
        assert_equal %i[admin_hosts admin_listen listen refork_after trusted_proxies], lists.sort
        %w[listeners admin_listen].each do |name|
          error = assert_raises(ConfigError) { evaluate("\n#{name} []") }
          assert_match(/\Acoppice\.rb:2: \w+ must be addresses: .*but is \[\]/, error.message)
        end
      end

      test "hooks are kept, and not called" do
        result = evaluate("before_fork { raise 'called' }\n" \
                          "after_worker_ready proc { |server, worker| [server, worker] }")
        assert_equal [1, 2], result.hooks[:after_worker_ready].call(1, 2)
        assert_raises(RuntimeError) { result.hooks[:before_fork].call(1) }
      end

      test "the last block of a hook counts, and nil removes it" do
        assert_equal 2, evaluate("before_fork { 1 }\nbefore_fork { 2 }").hooks[:before_fork].call(nil)
        assert_nil evaluate("before_fork { 1 }\nbefore_fork nil").hooks[:before_fork]
      end

      test "the file is plain Ruby with methods, constants and variables of its own" do
        result = evaluate(<<~RUBY)
          COUNT = 3
          class Helper; def value = 1; end
          def doubled(number) = number * 2
          @result = "mine"
          workers = doubled(COUNT)
          worker_processes workers + Helper.new.value
          before_fork { [doubled(1), COUNT, @result] }
        RUBY
        assert_equal 7, result.values[:worker_processes]
        assert_equal [2, 3, "mine"], result.hooks[:before_fork].call(nil)
      end

      test "Logger and Etc are there without a require" do
        result = evaluate("logger Logger.new(File::NULL)\nworker_processes Etc.nprocessors")
        assert_respond_to result.values[:logger], :info
        assert_equal Etc.nprocessors, result.values[:worker_processes]
      end

      test "Pitchfork's pause after a refork that failed is refork_backoff" do
        result = evaluate("timeout 5\nPitchfork::ReforkCondition.backoff_delay = 2.5")

        assert_equal [2.5, 2.5], [result.values[:refork_backoff], Pitchfork::ReforkCondition.backoff_delay]
        assert_match(/:2\z/, result.origins[:refork_backoff])
      end

      test "the file may have bytes that are no UTF-8, where Ruby takes them" do
        ["# f\xFCr\n", "# encoding: iso-8859-1\n# f\xFCr\n"].each do |comment|
          assert_equal 6, evaluate("#{comment}worker_processes 6").values[:worker_processes]
        end
        error = assert_raises(ConfigError) { evaluate("# f\xFCr\nworker_processes 1)\n") }
        assert_match(/\Acoppice\.rb:2: /, error.message)
      end

      test "the file can require a file beside it" do
        with_tmpdir do |folder|
          File.write(File.join(folder, "shared.rb"), "SHARED_WORKERS_OF_TEST = 6")
          File.write(File.join(folder, "coppice.rb"),
            "require_relative 'shared'\nworker_processes SHARED_WORKERS_OF_TEST\n" \
                                                      "before_fork { __dir__ }")
          result = ConfigFile.read("coppice.rb", directory: folder)
          assert_equal 6, result.values[:worker_processes]
          assert_equal File.realpath(folder), result.hooks[:before_fork].call(nil)
        end
      end

      test "a file that names Pitchfork finds it" do
        assert_equal Coppice::VERSION, evaluate("before_fork { Pitchfork::VERSION }").hooks[:before_fork].call(nil)
        assert_operator ::Pitchfork::ClientShutdown, :<, EOFError
      end

      test "a file that calls exit is a mistake, not an exit with status 0" do
        with_tmpdir do |folder|
          File.write(File.join(folder, "coppice.rb"), "\nexit")
          error = assert_raises(ConfigError) { ConfigFile.read("coppice.rb", directory: folder) }
          assert_equal "coppice.rb:2: the file calls exit", error.message
        end
      end

      test "the result is frozen" do
        assert_predicate evaluate("timeout 9").values, :frozen?
      end

      private

      def evaluate(text)
        with_tmpdir do |folder|
          File.write(File.join(folder, "coppice.rb"), text)
          ConfigFile.read("coppice.rb", directory: folder)
        end
      end
    end
  end
end
