# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/imports"

module Coppice
  module Import
    # What becomes of the hooks of a configuration for Puma.
    class PumaHooksTest < TestCase
      include Imports

      FILE = "config/puma.rb"

      test "hooks have the processes that they had" do
        assert_equal "after_mold_fork do\n  disconnect\nend", translated("before_fork do\n  disconnect\nend")
        assert_equal "after_worker_fork { connect }", translated("on_worker_boot { connect }")
        assert_equal "after_worker_fork do |_server, worker|\n  index = worker.nr\n  puts index\nend",
          translated("before_worker_boot do |index|\n  puts index\nend")
        assert_equal "after_fork_in_parent { count }", translated("after_worker_fork { count }")
        assert_equal "after_worker_exit do |_server, worker|\n  handle = worker\n  puts handle.pid\nend",
          translated("after_worker_shutdown { |handle| puts handle.pid }")
      end

      test "the report says once that an exception is not only logged" do
        [["on_worker_boot { 1 }\nbefore_fork { 1 }\nbefore_fork { 2 }", 1], ["on_worker_fork { 1 } if fork", 1],
         ["on_booted { 1 }\nout_of_band { 1 }\non_worker_shutdown { 1 }", 0], ["workers 2", 0]].each do |text, count|
          assert_equal count, notes(text, :hooks).grep(/ends the worker, or the mold/).size, text
        end
      end

      test "a block gets what Puma gives to it" do
        { "before_worker_boot { |_index| connect }" => "after_worker_fork do\n  connect\nend",
          "before_worker_boot { |i = 3; a| a = i }" =>
            "after_worker_fork do |_server, worker|\n  i = worker.nr\n  a = i\nend",
          "before_worker_boot { |*all| puts all }" =>
            "after_worker_fork do |_server, worker|\n  all = [worker.nr]\n  puts all\nend",
          "before_fork { |nothing| p nothing }" => "after_mold_fork do\n  nothing = nil\n  p nothing\nend",
          "before_worker_boot(&setup)" =>
            "after_worker_fork do |_server, worker|\n  setup.to_proc.call(worker.nr)\nend",
          "on_booted(&all[:booted])" => "after_monitor_ready do\n  (all[:booted]).to_proc.call\nend" }
          .each { |text, expected| assert_equal expected, translated(text) }
        assert_includes note("on_worker_boot { puts _1 }", :on_worker_boot), "the block has other arguments here"
        assert_includes translated("on_worker_boot { puts _1 }"), "#{TODO}the block has other arguments here"
        assert_nil note("on_worker_boot { puts 1 }", :on_worker_boot)
      end

      test "a block that reads the number of a worker which is not known is marked" do
        todo = "#{TODO}Coppice does not know the worker's number here: it is nil.\n"

        assert_equal "#{todo}before_fork do\n  i = nil\n  GC.compact if i.zero?\nend",
          translated("on_worker_fork { |i| GC.compact if i.zero? }")
        ["before_worker_fork { |*all| p all }", "after_worker_fork(&counted)"]
          .each { |text| assert_operator translated(text), :start_with?, todo }
        assert_includes note("after_worker_fork { |index| p index }", :after_worker_fork), "it is nil"
        ["on_worker_fork { |_index| connect }", "on_worker_fork { |i, data| data.clear }", "before_fork { |i| p i }"]
          .each { |text| refute_includes translated(text), "TODO" }
      end

      test "the data of hooks with a key is shared by them" do
        text = result(<<~'RUBY').text
          before_worker_boot(:file) { |index, data| data[:text] = "worker #{index}" }
          before_worker_shutdown("file") do |_, data|
            File.write(File.join(__dir__, "text"), data[:text])
          end
          before_refork(name = :other) { |_, data| data.clear }
        RUBY
        assert_includes text, "data = hook_data[(name = :other).to_sym]"
        worker = Struct.new(:nr).new(7)
        evaluate(text) do |found, folder|
          found.hooks.values_at(:after_worker_fork, :before_worker_exit).each { |hook| hook.call(nil, worker) }
          assert_equal "worker 7", File.read("#{folder}/text")
        end
        refute_includes result("before_worker_boot(:file) { connect }").text, "hook_data"
      end

      test "several blocks for one hook become one" do
        text = translated("on_worker_boot do\n  one\nend\nworkers 2\nbefore_worker_boot { two }\n")

        assert_equal "after_worker_fork do\n  one\n\n  two\nend\nworker_processes 2", text
        assert_includes note("a = 1\non_booted { 1 } if a\non_booted { 2 }", :on_booted), "only the last block"
      end

      test "a next in one of several blocks does not end the others" do
        text = "on_worker_boot do\n  next unless on\n\n  one\nend\non_worker_boot { two; next if on }\n"
        assert_equal "after_worker_fork do\n  proc do\n    next unless on\n\n    one\n  end.call\n\n  " \
                     "two; next if on\nend", translated(text)
        { true => [1, 2], false => [2] }.each do |on, expected|
          text = "all = []\non_booted { next unless #{on}; all << 1 }\non_booted { all << 2 }"
          assert_equal expected, evaluate(translated(text)).hooks[:after_monitor_ready].call
        end
      end

      test "lines of a text stay as they are in a joined block" do
        text = translated(<<~'RUBY')
          all = []
          if all
              on_booted do
                all << <<-A
              a

                 b
                A
              end
              on_booted { all << "c
            d" }
          end
        RUBY
        assert_includes text,
          "\n    after_monitor_ready do\n      all << <<-A\n    a\n\n       b\n      A\n\n      all << "
        assert_equal ["    a\n\n       b\n", "c\n  d"], evaluate(text).hooks[:after_monitor_ready].call
      end

      test "the next of a loop or an inner block is its own" do
        ["all.each { |one| next if one }", "next while wait", "-> { next }.call"].each do |statement|
          assert_equal "after_monitor_ready do\n  #{statement}\n\n  two\nend",
            translated("on_booted { #{statement} }\non_booted { two }")
        end
      end

      test "blocks of one condition become one, and branches do not replace each other" do
        text = "if a\n  on_worker_boot { 1 }\n  on_worker_boot { 2 }\nelse\n  on_worker_boot { 3 }\nend"
        assert_equal "if a\n  after_worker_fork do\n    1\n\n    2\n  end\nelse\n  after_worker_fork { 3 }\nend",
          translated(text)
        assert_equal [nil, "joined with the block of line 2", nil], notes(text, :on_worker_boot)
        assert_empty notes("case a\nwhen 1 then on_booted { 1 }\nelse on_booted { 2 }\nend", :on_booted).grep(/last/)
        assert_equal 2, notes("on_booted { 1 }\non_booted { 2 } if a", :on_booted).grep(/only the last/).size
      end

      test "the report says that Active Record needs no hook" do
        { "before_fork { ActiveRecord::Base.connection_handler.clear_all_connections!(:all) }" => true,
          "before_fork { ActiveRecord::Base.connection_pool.disconnect! if defined?(ActiveRecord) }" => true,
          "before_fork { ActiveSupport.on_load(:active_record) { establish_connection } }" => true,
          "before_fork { ActiveSupport.on_load(:active_record) do\n  establish_connection\nend }" => true,
          "before_fork { ActiveRecord::Base.establish_connection if defined?(ActiveRecord) }" => true,
          "before_fork { ActiveRecord::Base.establish_connection(:other) }" => false,
          "before_fork { ActiveRecord::Base.establish_connection config }" => false,
          "before_fork { if defined?(ActiveRecord::Base); DB.disconnect!; end }" => false,
          "before_fork { if defined?(ActiveRecord::Base)\n  DB.disconnect!\nend }" => false,
          "before_fork { Mongoid.disconnect_clients; ActiveRecord::Base.logger = nil }" => false }
          .each do |text, expected|
            assert_equal expected, note(text, :before_fork).include?("Active Record 7.1 and later needs no line"), text
            refute_includes translated(text), "TODO"
          end
      end

      test "what a worker that has exited lacks is marked" do
        text = "after_worker_shutdown { |w| puts w.process_status, w.pid.to_s, w.inspect }"
        assert_operator translated(text), :start_with?,
          "#{TODO}Coppice has no w.process_status.\nafter_worker_exit do"
      end

      test "statements of a hook that have lost their purpose are dropped" do
        killer = "before_fork do\n  require \"puma_worker_killer\"\n  PumaWorkerKiller.start\nend"
        assert_empty translated(killer)
        assert_includes note(killer, :before_fork), "worker_memory_limit"
        assert_equal "after_mold_fork do\n  disconnect\nend",
          translated("before_fork do\n  Kernel.sleep 1\n  disconnect\nend")
      end
    end
  end
end
