# frozen_string_literal: true

require "socket"
require "test_helper"
require_relative "../../bench/lib/load"
require_relative "../../bench/lib/process_tree"
require_relative "../../bench/lib/setup"

# The load generator of the benchmarks, bench/load.
class LoadGeneratorTest < Coppice::TestCase
  ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"
  HELD = 0.1 # seconds

  def setup = Bench::Setup.prepare([])

  test "in a closed loop the next request begins after the answer" do
    result = load_of(3, clients: 1)

    assert_equal 3, result.answered
    assert_operator result.p50_us, :<, HELD * 1e6
  end

  test "in an open loop requests are due whether a client is free or not, and take from then" do
    result = load_of(3, clients: 1, rate: 1000, seed: 1)

    assert_equal [3, 0], [result.answered, result.error_count]
    assert_operator result.p50_us, :>, HELD / 2 * 1e6
    assert_operator result.p50_us, :<=, result.p95_us
    assert_operator result.p95_us, :<=, result.p99_us
  end

  test "how long each answer took is told where it is asked for, in its order" do
    result = load_of(3, clients: 1, rate: 1000, seed: 1, each: true)

    assert_equal [3, result.p50_us, result.max_us], [result.latencies_us.size, *result.latencies_us.values_at(1, 2)]
    assert_nil load_of(1).latencies_us
  end

  private

  # The first answer is held back, the others come at once.
  def load_of(requests, **options)
    TCPServer.open("127.0.0.1", 0) do |listener|
      server = Thread.new { requests.times { |number| answer(listener.accept, number.zero?) } }
      Bench::Load.run(listener.addr[1], **options, requests: requests).tap { server.join }
    end
  end

  def answer(client, held)
    client.gets("\r\n\r\n")
    client.wait_readable(HELD) if held # nothing comes
    client.write(ANSWER)
    client.close
  end
end
