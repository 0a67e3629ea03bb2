# frozen_string_literal: true

require "test_helper"
require_relative "../support/locked_memory"
require_relative "../support/server"

# A temporary file that the application keeps, in the next generations.
class KeptTempfileTest < Coppice::TestCase
  APP = <<~'RUBY'
    require "tempfile"
    at_boot = Tempfile.new("boot", Dir.pwd)
    in_request = nil
    run(lambda do |env|
      in_request ||= Tempfile.new("request", Dir.pwd)
      [200, {}, [[at_boot, in_request].map { |file| File.exist?(file.path) }.join(" ")]]
    end)
  RUBY

  test "it is there after each refork, although the process that has made it has exited" do
    skip "no page can be locked in memory, so nothing is noted" unless LockedMemory.possible?
    Server.open(app: APP, config: "worker_processes 1") do |server|
      answers = Array.new(3) do |generation|
        refork(server, generation) unless generation.zero?
        server.get.body
      end

      assert_equal ["true true"] * 3, answers
    end
  end

  test "it is removed by the server that stops without a refork" do
    Server.open(app: APP, config: "worker_processes 1") do |server|
      server.get
      server.stop

      assert_empty Dir.glob(server.path("{boot,request}*"))
    end
  end

  private

  def refork(server, generation)
    server.signal(:USR2)
    server.wait { server.settled?(generation) }
  end
end
