# frozen_string_literal: true

require "test_helper"
require "stringio"
require "coppice/monitor/control_commands"
require_relative "../../support/fake_family"

module Coppice
  class Monitor
    # The verbs, in a family without a process.
    class ControlCommandsTest < TestCase
      def family(**settings)
        FakeFamily.open(**settings) do |family|
          family.settle
          @commands = ControlCommands.new(supervision: family.supervision, board: family.board, reopening: nil,
                                          settings: family.settings)
          yield family
        end
      end

      def refusal(*words) = assert_raises(Error) { @commands.call(*words) }.message

      test "refork: the commit is announced, and not before" do
        family do |family|
          answer = @commands.call("refork")
          assert_nil answer.poll.call
          family.settle

          assert_equal ["generation 1 is committed; its workers replace the others now"], answer.poll.call
        end
      end

      test "refork: a new mold that dies is announced with the reason" do
        family do |family|
          answer = @commands.call("refork")
          family.turn
          family.system.step(family.process_of(family.roster.candidate.parent)) # forks
          family.turn
          family.system.die(family.process_of(family.roster.candidate), FakeSystem::Status.new(1, nil))
          family.turn

          assert_equal "the new mold was abandoned: it exited before it was ready: the log says why",
            assert_raises(Error) { answer.poll.call }.message
        end
      end

      test "refork: why it takes so long" do
        family do |family|
          family.roster.workers.each { |worker| worker.row.not_fork_safe = 1 }
          answer = @commands.call("refork")
          family.settle

          assert_nil answer.poll.call
          assert_equal "no fork-safe worker has served a request yet; the refork waits for one",
            assert_raises(Error) { answer.late.call }.message
        end
      end

      test "workers: the number is absolute" do
        family do |family|
          assert_equal ["6 workers wanted, 4 until now"], @commands.call("workers", "6")
          family.settle
          assert_equal 6, family.roster.ready_workers.size
        end
      end

      test "recycle: the slot has another worker" do
        family do |family|
          before = family.roster.workers.find { |worker| worker.nr == 2 }
          answer = @commands.call("recycle", "2")
          assert_nil answer.poll.call
          family.settle
          after = family.roster.workers.find { |worker| worker.nr == 2 }

          refute_equal before.pid, after.pid
          assert_equal ["worker 2 is process #{after.pid} now"], answer.poll.call
          assert_equal "there is no worker 9", refusal("recycle", "9")
        end
      end

      test "recycle: a worker that reported after the turn had looked at its channel" do
        family(worker_processes: 1) do |family|
          @commands.call("workers", "2")
          100.times do
            break if family.system.processes.values.any? { |process| process.row&.nr == 1 && process.stage == :ready }

            family.turn
            family.system.processes.values.each { |process| family.system.step(process) }
          end
          assert_nil(family.roster.ready_workers.find { |worker| worker.nr == 1 })

          assert_kind_of ControlConnection::Pending, @commands.call("recycle", "1")
        end
      end

      test "stop: the end is announced, and nothing is changed meanwhile" do
        family do |family|
          answer = @commands.call("stop")
          assert_nil answer.poll.call
          assert_equal "the server is stopping", refusal("workers", "2")
          family.turn
          assert_match(/^server +stopping/, @commands.call("status").first)
          family.settle

          assert_equal ["the server has exited"], answer.poll.call
        end
      end

      test "log-level: the board has it" do
        family do |family|
          log = Log.new(StringIO.new, role: :worker, level: :warn).follow(family.board)
          assert_equal :warn, log.level
          @commands.call("log-level", "debug")

          assert_equal :debug, log.with(nr: 1).level
        end
      end

      test "backtrace: nobody is there" do
        family do
          assert_equal "there is no service", refusal("backtrace", "service")
          assert_equal "there is no worker 9", refusal("backtrace", "9")
        end
      end
    end
  end
end
