# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/door/control_commands"
require_relative "../../../support/fake_server"

module Coppice
  class Monitor
    # `coppice refork --wait`, in a server without a process.
    class AwaitedReforkTest < TestCase
      COMMITTED = "generation 1 is committed; its workers replace the others now"

      # Yields a server whose refork was committed, and has to replace workers.
      def rollout(**settings)
        FakeServer.open(**settings) do |server|
          server.settle
          @commands = ControlCommands.new(supervision: server.supervision, board: server.board, reopening: nil,
                                          settings: server.settings)
          @answer = call("refork", "--wait")
          told = []
          advance(server) { (told += @answer.news.call).any? }

          assert_equal [COMMITTED], told
          assert_includes server.roster.workers.map(&:generation), 0
          yield server
        end
      end

      def call(*words)
        caller = ControlConnection::Caller.new(Control::Endpoint::Peer.new(1, 0), [])
        @commands.call(*words, caller: caller)
      end

      # Turn by turn, until the block returns something, which is returned.
      def advance(server)
        1000.times do
          server.turn
          done = @answer.poll.call
          done ||= yield if block_given?
          return done if done

          server.system.processes.values.each { |process| server.system.step(process) }
        end
        flunk "nothing has come"
      end

      def failure(server) = assert_raises(Error) { advance(server) }.message

      test "the end comes when no worker of another generation is left" do
        rollout do |server|
          assert_nil @answer.late.call

          assert_equal ["all workers are of generation 1 now"], advance(server)
          assert_equal [1], server.roster.workers.map(&:generation).uniq
        end
      end

      test "a number of workers that changes meanwhile does not keep it from the end" do
        { "6" => [1] * 6, "2" => [1] * 2 }.each do |number, generations|
          rollout do |server|
            call("workers", number)

            assert_equal ["all workers are of generation 1 now"], advance(server)
            server.settle
            assert_equal generations, server.roster.workers.map(&:generation)
          end
        end
      end

      test "a worker that still answers its last request is left" do
        rollout do |server|
          advance(server) { server.roster.outdated_workers.empty? }

          assert_predicate server.roster.workers.find { |worker| worker.generation.zero? }, :leaving?
          assert_nil @answer.poll.call
        end
      end

      test "a server that stops ends the wait with an error" do
        rollout do |server|
          call("stop")

          assert_equal "the server is stopping", failure(server)
        end
      end

      test "a release that is committed meanwhile ends the wait with an error" do
        rollout do |server|
          call("roll", "/releases/2")

          assert_equal "the rollout of generation 1 was interrupted: generation 2 follows", failure(server)
        end
      end

      test "a mold that is lost meanwhile is replaced, and the rollout ends" do
        rollout do |server|
          server.system.die(server.process_of(server.roster.mold), FakeSystem::Status.new(nil, 9))

          assert_equal ["all workers are of generation 1 now"], advance(server)
        end
      end

      test "a mold whose replacement is abandoned ends the wait with an error" do
        rollout do |server|
          kill = ->(handle) { server.system.die(server.process_of(handle), FakeSystem::Status.new(1, nil)) }
          kill.call(server.roster.mold)
          advance(server) { server.roster.candidate&.pid }
          kill.call(server.roster.candidate)

          assert_match(/\Athe rollout of generation 1 was interrupted: a mold was abandoned: it exited before/,
            failure(server))
        end
      end

      test "the time is limited until the commit only" do
        verb = Control::VERBS.fetch("refork")

        assert_equal [120, nil], [verb.seconds_for([]), verb.seconds_for(["--wait"])]
      end
    end
  end
end
