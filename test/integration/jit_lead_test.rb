# frozen_string_literal: true

require "test_helper"
require_relative "../support/gate"
require_relative "../support/server"

# `jit :lead`: one worker compiles for the generations to come.
class JitLeadTest < Coppice::TestCase
  APP = <<~RUBY.freeze
    run(lambda do |env|
      #{Gate.code('gate')}
      [200, {}, ["\#{env["coppice.worker"].nr} \#{RubyVM::YJIT.enabled?}"]]
    end)
  RUBY

  def setup
    skip "YJIT cannot be turned on at run time before Ruby 3.3, or in this Ruby" unless defined?(RubyVM::YJIT.enable)
  end

  # What each worker says of itself: asked while all are held, so that each is met.
  def compiling(server)
    sockets = Array.new(2) { server.connect }
    Gate.new(server.path("gate")).closed do
      sockets.each { |socket| socket.write("GET / HTTP/1.1\r\nHost: test\r\n\r\n") }
      server.wait(60, "a request in each worker") { server.ready_workers.count { |row| row.started_ms.positive? } == 2 }
    end
    answers = sockets.map { |socket| BoundedWait.read(socket).split("\r\n\r\n").last.split }
    answers.to_h { |nr, enabled| [nr.to_i, enabled == "true"] }
  ensure
    sockets&.each(&:close)
  end

  def serve(jit, &block)
    Server.open(app: APP, config: "worker_processes 2\njit #{jit}", env: { "RUBY_YJIT_ENABLE" => nil }, &block)
  end

  test "only the lead worker compiles until it is promoted, and then all do" do
    serve(":lead") do |server|
      assert_equal({ 0 => true, 1 => false }, compiling(server))
      server.wait { server.ready_workers.all? { |row| row.requests.positive? } } # else it is not promoted
      server.signal(:USR2)
      server.wait(60, "a refork") { server.settled?(1) }

      assert_equal({ 0 => true, 1 => true }, compiling(server))
    end
  end

  soak_test "all compile, or none" do
    { ":all" => true, ":off" => false }.each do |jit, expected|
      serve(jit) { |server| assert_equal [expected], compiling(server).values.uniq }
    end
  end
end
