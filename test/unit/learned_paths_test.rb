# frozen_string_literal: true

require "test_helper"
require "coppice/learned_paths"

module Coppice
  class LearnedPathsTest < TestCase
    test "plain paths of pages can be learned" do
      %w[/ /products /products/ /de/about-us /feed.xml /authors /a_b/c~d].each do |path|
        assert LearnedPaths.eligible?(path), path
      end
    end

    test "paths of single records, tokens, hidden files and odd characters cannot" do
      ["", "products", "/orders/7", "/a7", "/#{'x' * 21}", "/a/b/c/d/e/f/g", "//", "/../etc", "/.env", "/%2e", "/a?b",
       "/a b", "/a\n", "/\xFF", "/ü"].each do |path|
        refute LearnedPaths.eligible?(path), path.inspect
      end
    end

    test "nor can paths that may have an effect" do
      %w[/logout /log_out /users/sign-in /Signup /session /user_sessions /auth /exports /orders/export.csv /unsubscribe
         /admin/users /cancel-order].each do |path|
        refute LearnedPaths.eligible?(path), path
      end
    end

    test "however many paths there are, the table is bounded and the frequent ones stay" do
      paths = LearnedPaths.new(size: 8)
      1000.times do |number|
        paths.add("/often")
        paths.add("/path-#{number}")
      end

      assert_operator paths.counts.size, :<=, 8
      assert_operator paths.counts.fetch("/often"), :>, 500
    end

    test "a batch of counts takes as many of the others as there are" do
      paths = LearnedPaths.new(size: 2, counts: { "/a" => 5, "/b" => 2 })
      paths.add("/c", 4)

      assert_equal({ "/a" => 3, "/c" => 2 }, paths.counts)
    end

    test "the most frequent paths are a few that are asked for often enough" do
      counts = { "/rare" => LearnedPaths::LEAST - 1, "/small" => 25, "/b" => 2000, "/a" => 3000 }

      assert_equal %w[/a /b], LearnedPaths.most_frequent(counts)
      many = Array.new(30) { |number| ["/#{number}", 100] }.to_h
      assert_equal LearnedPaths::LIMIT, LearnedPaths.most_frequent(many).size
    end
  end
end
