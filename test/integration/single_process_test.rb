# frozen_string_literal: true

require "test_helper"
require_relative "../support/server"

# `worker_processes 0`: for debuggers.
class SingleProcessTest < Coppice::TestCase
  APP = <<~'RUBY'
    run ->(env) { [200, { "content-type" => "text/plain" }, ["#{Process.pid} #{env["coppice.worker"].nr}"]] }
  RUBY

  test "one process serves, forks nothing and exits on TERM" do
    Server.open(app: APP, config: "worker_processes 0", ready: false) do |server|
      answer = server.wait(30, "an answer") { answer_of(server) }

      assert_equal "#{server.pid} 0", answer.body
      assert_equal [server.pid], server.family
      assert_equal 0, server.stop.exitstatus
    end
  end

  def answer_of(server)
    server.get
  rescue SystemCallError
    nil
  end
end
