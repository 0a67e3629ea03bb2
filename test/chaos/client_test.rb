# frozen_string_literal: true

require "test_helper"
require "socket"
require_relative "client"

# What a client of bin/chaos takes for a lost request.
class ChaosClientTest < Coppice::TestCase
  ANSWER = "HTTP/1.1 %<status>s\r\ncontent-length: 1\r\n\r\n1"

  # Its clock shows these times, in seconds: before the connect, after the head was written, and so on.
  class TimedClient < Chaos::Client
    def initialize(server, *times)
      super(server)
      @times = times
    end

    private

    def now = @times.size > 1 ? @times.shift : @times.first
  end

  # Accepts one connection, and writes a response after the first bytes. The others are unread when it closes.
  class HastyServer
    attr_reader :connect

    def initialize(response)
      @connect, server = UNIXSocket.pair
      @thread = Thread.new do
        server.readpartial(10)
        server.write(response)
      ensure
        server.close
      end
    end

    def join = @thread.join
  end

  # The client after one request that got this response.
  def asked(response, *times)
    server = HastyServer.new(response)
    client = TimedClient.new(server, *times)
    client.ask("work")
    server.join
    client
  end

  def answer(status) = format(ANSWER, status: status)

  test "a response is whole though the server has closed the connection with a part of the request unread" do
    client = asked(answer("200 OK"), 0)

    assert_empty client.lost
    assert_equal({ 200 => 1 }, client.answers)
    assert_match(/incomplete/, asked(answer("200 OK").chop, 0).lost.first.reason)
  end

  test "a client that stood still before it sent its request is slow, and may get 408" do
    assert_equal [true], asked("", 0, 5).lost.map(&:slow)
    assert_equal [false], asked("", 0, 0.1, 5).lost.map(&:slow)
    assert_empty asked(answer("408 Request Timeout"), 0, 5).answers
    assert_equal({ 408 => 1 }, asked(answer("408 Request Timeout"), 0, 0.1, 5).answers)
  end

  test "504 is overdue after the server's timeout, and not before" do
    late, early = [0.1, -0.1].map do |more|
      asked(answer("504 Gateway Timeout"), 0, 0.1, Chaos::Server::TIMEOUT + more).lost.first
    end

    assert late.overdue
    refute early.overdue
  end
end
