# frozen_string_literal: true

# lane: soak -- serves applications with bundles of their own

require "test_helper"
require_relative "../support/framework_server"
require_relative "../support/closed_loop"

# A small application in each of several frameworks, each with a Gemfile of its own: test/frameworks.
class FrameworksTest < Coppice::TestCase
  FRAMEWORKS = %w[hanami roda sinatra].freeze
  STREAMING = %w[roda sinatra].freeze # Hanami's actions answer whole bodies
  RINGS = "#{(0..2).map { |ring| "7\r\nring #{ring}\n\r\n" }.join}0\r\n\r\n".freeze
  FORM = { "Content-Type" => "application/x-www-form-urlencoded" }.freeze

  FRAMEWORKS.each do |framework|
    test "#{framework}: views, parameters, forms, files, streams and its own error pages" do
      FrameworkServer.open(framework, config: "worker_processes 1") do |server|
        assert_match %r{\A<h1>Hello from #{framework}.*</h1>}i, server.get("/").body
        assert_equal "oak in spring", server.get("/trees/oak?season=spring").body
        posted = server.request("POST", "/trees", FORM, "name=%65lm&season=autumn")
        assert_equal 303, posted.status
        assert_operator posted.headers["location"], :end_with?, "/trees/elm?season=autumn"
        robots = File.read("#{FrameworkServer::FOLDER}/#{framework}/public/robots.txt")
        assert_equal robots, server.get("/robots.txt").body
        assert_equal [404, "no such tree"], page(server, "/nothing")
        assert_equal [500, "a branch broke"], page(server, "/broken")
        assert_equal RINGS, server.get("/rings").body if STREAMING.include?(framework)
      end
    end

    test "#{framework}: a new generation keeps the session and loses no request" do
      FrameworkServer.open(framework, config: "worker_processes 2") do |server|
        cookie = visit(server).last
        load = ClosedLoop.new(server, clients: 2, paths: ["/", "/trees/oak?season=spring", "/robots.txt"])
        load.start
        server.wait { load.answers > 20 }
        server.signal(:USR2)
        server.wait(60, "the new generation") { server.settled?(1) }
        answered = load.answers
        server.wait { load.answers > answered + 20 }
        load.stop

        assert_empty load.failures.tally
        assert_equal 0, server.board.audit_findings
        count, cookie = visit(server, cookie)
        assert_equal %w[2 3], [count, visit(server, cookie).first]
      end
    end
  end

  private

  # Adds one to what the session counted, and answers the sum with the new session.
  def visit(server, cookie = nil)
    answer = server.get("/visits", cookie ? { "Cookie" => cookie } : {})
    [answer.body, answer.headers.fetch("set-cookie")[/\A[^;]+/]]
  end

  def page(server, path) = server.get(path).then { |answer| [answer.status, answer.body.chomp] }
end
