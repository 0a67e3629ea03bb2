# frozen_string_literal: true

require "test_helper"
require "stringio"
require "coppice/monitor/door/control_commands"
require_relative "../../../support/fake_server"

module Coppice
  class Monitor
    # The verbs, in a server without a process.
    class ControlCommandsTest < TestCase
      def server(**settings)
        FakeServer.open(**settings) do |server|
          server.settle
          @commands = ControlCommands.new(supervision: server.supervision, board: server.board, reopening: nil,
                                          settings: server.settings)
          yield server
        end
      end

      def call(*words)
        caller = ControlConnection::Caller.new(Control::Endpoint::Peer.new(1, 0), [])
        @commands.call(*words, caller: caller)
      end

      def refusal(*words) = assert_raises(Error) { call(*words) }.message

      test "refork: the commit is announced, and not before" do
        server do |server|
          answer = call("refork")
          assert_nil answer.poll.call
          server.settle

          assert_equal ["generation 1 is committed; its workers replace the others now"], answer.poll.call
        end
      end

      test "roll: the answer tells whether the release warms up before its workers replace the others" do
        { [].freeze => "; its workers replace the others now",
          ["/"].freeze => " and warms up; then its workers replace the others" }.each do |requests, rollout|
          server(warm_up_requests: requests) do |server|
            answer = call("roll", "/releases/2")

            assert_equal ["release 2 (2) is committed#{rollout}"], first_answer(answer, server)
          end
        end
      end

      test "roll: each stage is told once, when it is reached" do
        { [].freeze => "starting", ["/"].freeze => "warming up" }.each do |paths, doing|
          server(canary: true, canary_requests: 7, canary_time: 2, warm_up_requests: paths) do |server|
            answer = call("roll", "/releases/2")
            told = []
            first_answer(answer, server) do
              told.concat(answer.news.call)
              server.system.advance(1)
            end

            assert_equal ["checking the release", "booting release 2 (2)", "#{doing} its first worker",
                          "canary: its first worker serves clients, 7 requests or 2 s, less if nobody asks"],
              told
          end
        end
      end

      test "rollback: a mold that was kept has nothing to tell of a boot" do
        { 60 => [], 0 => ["checking the release"] }.each do |window, news|
          server(rollback_window: window) do |server|
            first_answer(call("roll", "/releases/2"), server)
            answer = call("rollback")

            assert_equal news, answer.news.call
            assert_match(/\Arelease 1 .* is committed/, first_answer(answer, server).last)
          end
        end
      end

      test "rollback: to a mold that is kept after all there is nothing to tell" do
        server(rollback_window: 60) do |server|
          first_answer(call("roll", "/releases/2"), server)
          answer = call("rollback")
          mold = server.roster.take_kept

          assert_equal ["waiting until it can be booted"], answer.news.call
          server.roster.keep(mold, 60)
          assert_empty answer.news.call
        end
      end

      # As the monitor polls: after each of its turns. Yields before each.
      def first_answer(answer, server)
        1000.times do
          yield if block_given?
          server.turn
          lines = answer.poll.call
          return lines if lines

          server.system.processes.values.each { |process| server.system.step(process) }
        end
        flunk "there was no answer"
      end

      test "refork: a new mold that dies is announced with the reason" do
        server do |server|
          answer = call("refork")
          server.turn
          server.system.step(server.process_of(server.roster.candidate.parent)) # forks
          server.turn
          server.system.die(server.process_of(server.roster.candidate), FakeSystem::Status.new(nil, 9))
          server.turn

          assert_equal "the new mold was abandoned: it exited before it was ready: killed by SIGKILL",
            assert_raises(Error) { answer.poll.call }.message
        end
      end

      test "refork: the message of the exception for which the new mold exits is told" do
        server do |server|
          answer = call("refork")
          server.turn
          server.system.step(server.process_of(server.roster.candidate.parent)) # forks
          server.turn
          server.roster.candidate.failure = Control::Messages::Failed.new(error: "RuntimeError (a.rb:1)", message: "no")
          server.system.die(server.process_of(server.roster.candidate), FakeSystem::Status.new(1, nil))
          server.turn

          assert_match(/RuntimeError \(a\.rb:1\): no\z/, assert_raises(Error) { answer.poll.call }.message)
        end
      end

      test "refork: that no worker is fork-safe is announced at once" do
        server do |server|
          server.roster.workers.each { |worker| server.process_of(worker).refuses = true }
          answer = call("refork")
          server.settle

          assert_equal "the refork is given up: no worker is fork-safe",
            assert_raises(Error) { answer.poll.call }.message
        end
      end

      test "refork: why it takes so long" do
        server do |server|
          server.roster.workers.first.row.tap { |row| row.requests = row.not_fork_safe = 1 }
          answer = call("refork")
          server.settle

          assert_nil answer.poll.call
          assert_equal "no fork-safe worker has served a request yet; the refork waits for one",
            assert_raises(Error) { answer.late.call }.message
        end
      end

      test "workers: the number is absolute" do
        server do |server|
          assert_equal ["6 workers wanted, 4 until now"], call("workers", "6")
          server.settle
          assert_equal 6, server.roster.ready_workers.size
        end
      end

      test "recycle: the slot has another worker" do
        server do |server|
          before = server.roster.workers.find { |worker| worker.nr == 2 }
          answer = call("recycle", "2")
          assert_nil answer.poll.call
          server.settle
          after = server.roster.workers.find { |worker| worker.nr == 2 }

          refute_equal before.pid, after.pid
          assert_equal ["worker 2 is process #{after.pid} now"], answer.poll.call
          assert_equal "there is no worker 9", refusal("recycle", "9")
        end
      end

      test "recycle: a worker that reported after the turn had looked at its channel" do
        server(worker_processes: 1) do |server|
          call("workers", "2")
          100.times do
            break if server.system.processes.values.any? { |process| process.row&.nr == 1 && process.stage == :ready }

            server.turn
            server.system.processes.values.each { |process| server.system.step(process) }
          end
          assert_nil(server.roster.ready_workers.find { |worker| worker.nr == 1 })

          assert_kind_of ControlConnection::Pending, call("recycle", "1")
        end
      end

      test "stop: the end is announced, and nothing is changed meanwhile" do
        server do |server|
          answer = call("stop")
          assert_nil answer.poll.call
          assert_equal "the server is stopping", refusal("workers", "2")
          server.turn
          assert_match(/^server +stopping/, call("status").first)
          server.settle

          assert_equal ["the server has exited"], answer.poll.call
        end
      end

      test "log-level: the board has it" do
        server do |server|
          log = Log.new(StringIO.new, role: :worker, level: :warn).follow(server.board)
          assert_equal :warn, log.level
          call("log-level", "debug")

          assert_equal :debug, log.with(nr: 1).level
        end
      end

      test "backtrace: nobody is there" do
        server do
          assert_equal "there is no service", refusal("backtrace", "service")
          assert_equal "there is no worker 9", refusal("backtrace", "9")
        end
      end
    end
  end
end
