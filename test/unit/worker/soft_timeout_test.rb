# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/config/settings"
require "coppice/worker"

module Coppice
  class Worker
    # The thread that ends a worker, beside a fake worker that serves no client.
    class SoftTimeoutTest < TestCase
      LONG = 60 # seconds, longer than any test

      # A row whose deadline changes with each look; the last one stays. `looks` gets each of them.
      class ChangingRow
        attr_reader :looks, :started_ms, :requests, :request
        attr_accessor :timed_out, :stack, :answered_ms

        def initialize(*deadlines)
          @deadlines = deadlines
          @looks = Queue.new
          @started_ms = 1
          @answered_ms = 0
          @requests = 152
          @request = "GET /report"
        end

        def count(_name) = nil
        def out_of_band? = false

        def deadline_ms
          deadline = @deadlines.size > 1 ? @deadlines.shift : @deadlines.first
          @looks << deadline
          deadline
        end
      end

      # Of no request.
      FakeClock = Struct.new(:env)

      FakeLog = Struct.new(:lines) do
        def error(message, **fields) = lines << [message, fields]
        def exception(message, error) = lines << [message, error.message]
      end

      # What a soft timeout asks of its worker.
      class FakeWorker
        attr_reader :membership, :inheritance, :answered, :log

        def initialize(row, hooks: {}, **settings)
          @membership = Struct.new(:row, :status).new(row)
          settings = Config::Settings.new(values: { timeout: LONG, timeout_cleanup: LONG, **settings }, hooks: hooks)
          @inheritance = Struct.new(:settings, :hook_context).new(settings, nil)
          @answered = Queue.new
          @log = FakeLog.new([])
        end

        def note_long_request = @noted = true
        def answer_overdue = @answered << true
      end

      def setup
        @past = OS::Clock.now_ms - 1000
        @future = OS::Clock.now_ms + (LONG * 1000)
      end

      test "a request past its deadline ends the worker" do
        watched(row = ChangingRow.new(@past)) do |timeout, worker, main|
          assert_equal :ended, BoundedWait.value_of(main)
          assert_predicate timeout, :expired?
          assert_equal [1, 1], [worker.answered.size, row.timed_out]
        end
      end

      test "the line of an overdue request names it, and the board has the stack" do
        env = { "REQUEST_METHOD" => "GET", "PATH_INFO" => "/report", "HTTP_X_REQUEST_ID" => "a1" }
        watched(row = ChangingRow.new(@past), env: env) do |_timeout, worker, main|
          assert_equal :ended, BoundedWait.value_of(main)
          message, fields = worker.log.lines.first

          assert_equal "request timed out", message
          assert_equal({ method: "GET", path: "/report", request_id: "a1" }, fields.slice(:method, :path, :request_id))
          assert_equal fields[:backtrace], row.stack
          assert_includes row.stack, "serve_until_ended"
          refute_includes fields, :hint
        end
      end

      test "work after the response is not called a request" do
        row = ChangingRow.new(@past).tap { |changing| changing.answered_ms = 1 }
        watched(row, env: { "PATH_INFO" => "/report" }) do |_timeout, worker, main|
          assert_equal :ended, BoundedWait.value_of(main)
          message, fields = worker.log.lines.first

          assert_equal ["work after the response timed out", "/report"], [message, fields[:path]]
        end
      end

      test "the line says that a number in the place of the limit has no effect" do
        env = { "PATH_INFO" => "/report", "coppice.timeout" => 120 }
        watched(ChangingRow.new(@past), env: env) do |_timeout, worker, main|
          assert_equal :ended, BoundedWait.value_of(main)
          assert_includes worker.log.lines.first.last.fetch(:hint), "use env[\"coppice.timeout\"].call(120)"
        end
      end

      # As in the C locale, when the application is in a folder with such a name.
      test "a stack of files whose names are in different encodings, or malformed, is reported" do
        stop = ->(_) { Thread.stop }
        names = ["ü", "ü".b, "\xFC"].map { |name| "/shop #{name}/app.rb" } << "/ü/app.rb".dup.force_encoding("US-ASCII")
        waits = names.reduce(stop) { |inner, file| eval("->(given) { inner.call(given) }", binding, file, 1) }
        watched(row = ChangingRow.new(@past), waits: waits) do |_timeout, worker, main|
          assert_equal :ended, BoundedWait.value_of(main)
          frames = ["/shop ü/app.rb", "/shop ü/app.rb", "/shop \uFFFD/app.rb", "/ü/app.rb"]

          assert_equal frames, row.stack.scan(%r{^(/.*/app\.rb):1:in}).flatten
          assert_equal ["before_worker_exit timed out", row.stack],
            worker.log.lines.first.then { |message, fields| [message, fields[:backtrace]] }
        end
      end

      test "where the timeout cannot be reported, the request is answered and the hook is called all the same" do
        called = Queue.new
        hooks = { after_worker_timeout: ->(*all) { called << all } }
        worker = FakeWorker.new(ChangingRow.new(@past), hooks: hooks)
        worker.log.define_singleton_method(:error) { |*, **| raise ArgumentError, "no" }
        watched(worker.membership.row, worker: worker) do |_timeout, _worker, main|
          assert_equal :ended, BoundedWait.value_of(main)
          assert_equal [1, 1], [worker.answered.size, called.size]
          assert_equal [["could not report a timeout", "no"]], worker.log.lines
        end
      end

      test "the process title names the request in flight and how long it takes" do
        watched(ChangingRow.new(@future)) do |_timeout, worker, _main|
          eventually { worker.membership.status&.match?(%r{\A152 requests, GET /report for \d+ s\z}) }
        end
      end

      # The thread looks again when no further client can be accepted.
      { "no other one follows" => :none, "the next one is served already" => :fresh }.each do |sentence, next_request|
        test "a request that ends in the instant of its deadline ends no worker: #{sentence}" do
          row = ChangingRow.new(@past, next_request == :none ? 0 : @future)
          watched(row) do |timeout, worker, main|
            eventually { row.looks.size >= 3 } # the last one tells it how long to sleep

            refute_predicate timeout, :expired?
            assert_equal [0, nil], [worker.answered.size, row.timed_out]
            assert_predicate main, :alive?
          end
        end
      end

      private

      # Yields a soft timeout that watches the row, its worker and what stands for the worker's main thread.
      def watched(row, env: nil, worker: FakeWorker.new(row), waits: ->(_) { Thread.stop })
        made = Queue.new
        inspection = Inspection.new(nil, nil)
        main = Thread.new do
          serve_until_ended(waits) { made << SoftTimeout.new(worker, FakeClock.new(env), inspection) }
        end
        timeout = BoundedWait.pop(made)
        watching = timeout.start
        yield timeout, worker, main
      ensure
        [watching, main].each { |thread| thread&.kill&.join }
        inspection&.close
      end

      def serve_until_ended(waits)
        yield
        waits.call(nil)
      rescue SystemExit
        :ended
      end
    end
  end
end
