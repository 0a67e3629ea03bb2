# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/worker/path_counter"

module Coppice
  class Worker
    class PathCounterTest < TestCase
      # In the place of a Membership.
      Monitor = Struct.new(:answer, :told) do
        def tell(message)
          told << message.counts.dup
          answer
        end
      end

      GET = { "REQUEST_METHOD" => "GET", "QUERY_STRING" => "" }.freeze

      test "pages that clients get are counted" do
        count("/", "/products", "/")

        assert_equal [{ "/" => 2, "/products" => 1 }], reported
      end

      test "nothing else is" do
        count("/", "REQUEST_METHOD" => "POST")
        count("/", "QUERY_STRING" => "page=2")
        count("/orders/7", "/log_out")
        [[302, {}, []], [200, { "set-cookie" => "a=b" }, []], [200, { "Set-Cookie" => "a=b" }, []], nil,
         [200, [], []]].each { |answer| count("/", answer: answer) }

        assert_empty reported
      end

      test "the answer is the application's, and so is an error" do
        assert_equal [[201, {}, ["a"]]], count("/", answer: [201, {}, ["a"]])
        assert_raises(RuntimeError) { PathCounter.new(->(_) { raise "no" }, nil).call(GET.merge("PATH_INFO" => "/")) }
      end

      test "a path that the application changes counts as the client has sent it" do
        counter = counter { |env| env.merge!("PATH_INFO" => "/inner") && [200, {}, []] }
        counter.call(GET.merge("PATH_INFO" => "/outer"))

        assert_equal [{ "/outer" => 1 }], reported
      end

      test "a report is due after a number of requests, and then again" do
        due = 2.times.map do
          (PathCounter::REPORT_AFTER - 1).times { count("/") }
          before = @counter.due?
          count("/")
          [before, @counter.due?].tap { @counter.report }
        end

        assert_equal [[false, true]] * 2, due
        assert_equal [{ "/" => PathCounter::REPORT_AFTER }] * 2, @monitor.told
      end

      test "counts that the channel does not take come with the next report" do
        count("/")
        @monitor.answer = :full
        reported
        count("/")

        assert_equal({ "/" => 2 }, reported.last)
      end

      private

      def counter(&app)
        @monitor ||= Monitor.new(:sent, [])
        @counter ||= PathCounter.new(app, @monitor)
      end

      def count(*paths, answer: [200, {}, []], **env)
        @answer = answer
        paths.map { |path| counter { @answer }.call(GET.merge(env, "PATH_INFO" => path)) }
      end

      def reported
        @counter.report
        @monitor.told
      end
    end
  end
end
