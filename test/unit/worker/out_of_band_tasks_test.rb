# frozen_string_literal: true

require "open3"
require "rbconfig"
require "test_helper"
require "coppice"
require "coppice/config/settings"
require "coppice/worker"

module Coppice
  class Worker
    # The kinds of out-of-band work: when each is due.
    class OutOfBandTasksTest < TestCase
      Server = Struct.new(:hook_context, :board)
      Board = Struct.new(:workers_most)
      FakeWorker = Struct.new(:requests_count, :nr, :generation, :inheritance) do
        def self.make = new(0, 0, 0, Server.new(:server, Board.new(8)))
      end

      def settings(hooks: {}, services: [], **values)
        Config::Settings.new(values: values, hooks: hooks, services: services)
      end

      test "a block is due once after requests" do
        worker = FakeWorker.make
        called = []
        block = OutOfBand::UserBlock.of(worker, settings(hooks: { on_out_of_band: ->(*all) { called << all } }))

        refute_predicate block, :due?
        worker.requests_count = 3

        assert_predicate block, :due?
        block.call

        refute_predicate block, :due?
        assert_equal [[:server, worker]], called
        worker.requests_count = 4

        assert_predicate block, :due?
      end

      test "connections are released once after a pause, and again after the next request" do
        worker = FakeWorker.make
        idle = OutOfBand::IdleConnections.new(worker, 0)
        2.times do
          worker.requests_count += 1

          assert_predicate idle, :due?
          idle.call

          refute_predicate idle, :due?
        end
      end

      test "connections that were opened before the worker was ready are released without any request" do
        assert_predicate OutOfBand::IdleConnections.new(FakeWorker.make, 0), :due?
      end

      test "connections are kept until the pause is over" do
        worker = FakeWorker.make
        idle = OutOfBand::IdleConnections.new(worker, 3600)
        worker.requests_count = 1

        refute_predicate idle, :due?
      end

      test "nothing is to do where nothing is configured" do
        [OutOfBand::Collection, OutOfBand::UserBlock, OutOfBand::IdleConnections].each do |kind|
          assert_nil kind.of(FakeWorker.make, settings)
        end
      end

      test "the budget counts all processes that there may be during a rollout" do
        services = %w[jobs mail].map { |name| Config::ServiceDefinition.new(name: name) }
        with = settings(refork_surge: "25%", guests: 3, services: services)
        budgets = [with, settings(refork_surge: 0, rollback_window: 0)].map do |one|
          OutOfBand::ConnectionBudget.new(FakeWorker.make, one)
        end

        assert_equal [8 + 2 + 3 + 2 + 1 + 1, 8 + 1], budgets.map(&:processes)
      end

      # In a process of its own: the setting is the process's.
      test "where Ruby can be told so, no request makes a major collection, and one that is due is made" do
        skip "before Ruby 3.4" unless OutOfBand::Collection.exact?
        library = File.expand_path("../../../lib", __dir__)
        output, status = Open3.capture2e(RbConfig.ruby, "-I", library, "-e", <<~'RUBY')
          require "coppice/worker/out_of_band/collection"
          work = Coppice::Worker::OutOfBand::Collection.new
          majors = GC.stat(:major_gc_count)
          kept = []
          serve = -> { 20_000.times { kept << "text #{kept.size}" } && 50_000.times { String.new } }
          500.times { work.due? ? break : serve.call } # what is kept becomes old
          print work.due?, " ", work.overdue?, " ", GC.stat(:major_gc_count) - majors
          500.times { work.overdue? ? break : serve.call }
          print " ", work.overdue?
          work.call
          print " ", work.due?, " ", GC.stat(:major_gc_count) - majors
          work.note_long_request
          print " ", GC.config[:rgengc_allow_full_mark]
          work.due?
          print " ", GC.config[:rgengc_allow_full_mark]
          work.cancel
          print " ", GC.config[:rgengc_allow_full_mark]
        RUBY

        assert_predicate status, :success?, output
        assert_equal "true false 0 true false 1 true false true", output
      end

      test "an older Ruby collects shortly before it would have to, and never between two requests of a busy worker" do
        work = OutOfBand::Collection.new(exact: false)
        work.call

        refute_predicate work, :due?
        refute_predicate work, :overdue?
      end
    end
  end
end
