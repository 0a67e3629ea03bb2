# frozen_string_literal: true

require "test_helper"
require "coppice/tools/doctor/chain"
require "coppice/tools/doctor/answers"

module Coppice
  module Doctor
    class AnswersTest < TestCase
      # The answer of one path, by generation.
      def answer(generations, errors = [], last: [])
        Answers.new({ "/a?b" => generations }, errors, last: { "/a?b" => last }).all.first
      end

      test "the same statuses in each generation are no finding" do
        found = answer({ 0 => [200, 304, 200, 304], 1 => [304, 200], 2 => [200, 200] })

        assert_nil found.severity
        assert_empty found.changed
        assert_equal({ 0 => [200, 304], 1 => [304, 200], 2 => [200, 200] }, found.after)
      end

      test "an error or no response after a fork is a danger, another status needs care" do
        assert_equal :danger, answer({ 0 => [200, 200], 1 => [200, 500] }).severity
        assert_equal :danger, answer({ 0 => [200, 200], 1 => [0] }).severity
        assert_equal :care, answer({ 0 => [200, 200], 1 => [404, 404] }).severity
      end

      test "the promoted worker counts as well, after the fork" do
        found = answer({ 0 => [200, 200, 503], 1 => [200] })

        assert_equal [:danger, [503]], [found.severity, found.changed]
        assert_equal "200 before the first fork; 503 in generation 0", found.changes
      end

      test "what changes only when other processes have exited is no matter of the fork, and has a remedy" do
        found = answer({ 0 => [200, 200, 200], 1 => [200] }, last: [500])

        assert_equal [:danger, [500], true], [found.severity, found.changed, found.changed_by_exits?]
        assert_equal "200 before the first fork; 500 once other processes have exited", found.changes
        assert_match(/at_exit/, found.remedy)
        refute answer({ 0 => [200, 200], 1 => [500] }, last: [500]).remedy
        refute answer({ 0 => [200, 200], 1 => [200] }, last: [200]).changed_by_exits?
      end

      test "a path that fails before any fork needs care" do
        found = answer({ 0 => [500, 0] })

        assert_equal :care, found.severity
        assert_match(/answered with 500/, found.remark)
        assert_equal "500, no response before the first fork", found.changes
      end

      test "a host that the application may not accept is a cause of 403" do
        assert_match(/answered with 403; --host names the host/, answer({ 0 => [403, 403] }).remark)
        refute_match(/host/, answer({ 0 => [404, 404] }).remark)
      end

      test "the error is that of its path" do
        errors = [{ path: "/b", error: "other" }, { path: "/a", error: nil },
                  { path: "/a", error: "boom", place: "x:1" }]
        found = answer({ 0 => [200, 200], 1 => [500] }, errors)

        assert_equal ["boom", "x:1"], [found.error, found.place]
      end
    end
  end
end
