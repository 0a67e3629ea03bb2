# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/config/settings"
require "coppice/worker"

module Coppice
  class Worker
    # Out-of-band work beside an Active Record of different versions.
    class ActiveRecordPoolsTest < TestCase
      # Knows no `:all` before 7.1, and no other method from 7.2 on.
      class Handler
        def initialize(pools, version)
          @pools = pools
          @lists_all = (version <=> [7, 1]) >= 0
          return if @lists_all

          define_singleton_method(:all_connection_pools) { @pools } # 7.1 warns of it
        end

        def connection_pool_list(role) = @lists_all && role == :all ? @pools : []
      end

      Pool = Struct.new(:adapter, :flushed) do
        def flush! = self.flushed = true
        def connected? = true
        def size = 5
        def db_config = Struct.new(:name, :adapter).new("primary", adapter)
      end

      FakeWorker = Struct.new(:requests_count, :log, :inheritance)
      FakeLog = Struct.new(:lines) { def info(message, **fields) = lines << [message, fields] }
      FakeInheritance = Struct.new(:board)
      FakeBoard = Struct.new(:workers_most)

      # Yields a pool while Active Record seems to be loaded.
      def with_active_record(version, adapter: "sqlserver")
        library = Module.new
        base = Struct.new(:connection_handler).new(Handler.new([pool = Pool.new(adapter)], version))
        library.const_set(:Base, base)
        library.const_set(:VERSION, Module.new).then do |place|
          %i[MAJOR MINOR].zip(version) { |name, number| place.const_set(name, number) }
        end
        Object.const_set(:ActiveRecord, library)
        yield pool
      ensure
        Object.send(:remove_const, :ActiveRecord)
      end

      [[6, 1], [7, 0], [7, 1], [7, 2], [8, 1]].each do |version|
        test "connections of Active Record #{version.join('.')} are released, and the log says how many there may be" do
          worker = first_worker
          with_active_record(version) do |pool|
            OutOfBand::IdleConnections.new(worker, 0).call
            budget_of(worker).call

            assert pool.flushed
            assert_equal ["database connections"], worker.log.lines.map(&:first)
          end
        end
      end

      test "the log says nothing of SQLite, which allows any number of connections" do
        worker = first_worker
        with_active_record([8, 1], adapter: "sqlite3") { budget_of(worker).call }

        assert_empty worker.log.lines
      end

      private

      def first_worker = FakeWorker.new(1, FakeLog.new([]), FakeInheritance.new(FakeBoard.new(2)))

      def budget_of(worker) = OutOfBand::ConnectionBudget.new(worker, Config::Settings.new(values: { refork_surge: 0 }))
    end
  end
end
