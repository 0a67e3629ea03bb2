# frozen_string_literal: true

require "test_helper"
require "support/byte_by_byte"
require "support/conformance_corpus"
require "support/raw_client"
require "support/server"

# The requests of test/conformance against a server with one worker, which counts how often its application is called.
class ConformanceTest < Coppice::TestCase
  # Answers what it saw of the request.
  APP = <<~'RUBY'
    calls = 0
    run lambda { |env|
      calls += 1
      seen = env.select { |_, value| value.is_a?(String) }.merge("body" => env["rack.input"].read)
      [200, { "content-type" => "text/plain", "x-calls" => calls.to_s }, [seen.sort.inspect]]
    }
  RUBY

  # So long that no request is refused because the machine is busy.
  CONFIG = <<~RUBY
    worker_processes 1
    client_header_timeout 100
    client_body_timeout 100
  RUBY

  NEXT_REQUEST = "GET /next HTTP/1.1\r\nHost: example.com\r\n\r\n"
  CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n"

  # How a request travels. A client that is refused stops sending.
  WAYS = {
    "whole" => ->(socket, example) { socket.write(example.bytes) },
    "with another behind it" => ->(socket, example) { socket.write(example.bytes + NEXT_REQUEST) },
    "byte by byte" => lambda do |socket, example|
      ByteByByte.write(socket, example.bytes) { !example.accept? && socket.wait_readable(0) }
    rescue Errno::EPIPE # it was refused before this byte, and paused for longer than the server lingers
      raise if example.accept?
    end,
  }.freeze

  test "requests to refuse get their status and nothing else, and the application is not called" do
    serve do |server|
      count = 0
      wrong = WAYS.to_a.product(refused).filter_map do |(name, way), example|
        answer = exchange(server, example, way)
        before, count = count, calls(server)
        next if refusal?(answer, example.verdict) && count == before + 1

        "#{name}: #{complaint(example, [answer])}"
      end
      assert_empty wrong
    end
  end

  test "requests to accept reach the application once, however their bytes are split" do
    serve do |server|
      count = 0
      wrong = accepted.filter_map do |example|
        answers = WAYS.values.map { |way| without_continue(exchange(server, example, way)) }
        before, count = count, calls(server)
        complaint(example, answers) unless one_content?(answers) && count == before + WAYS.size + 1
      end
      assert_empty wrong
    end
  end

  private

  def refused = Coppice::ConformanceCorpus.cases.reject(&:accept?)
  def accepted = Coppice::ConformanceCorpus.cases.select(&:accept?)
  def serve(&block) = Server.open(app: APP, config: CONFIG, &block)

  def exchange(server, example, way)
    socket = server.connect
    RawClient.on(socket) do |client|
      way.call(socket, example)
      client.answer
    end
  end

  # One answer, whole, and the end.
  def refusal?(answer, status)
    answer.status == status && answer["connection"] == "close" && answer["content-length"] == answer.body.bytesize.to_s
  end

  # Calls of the application, asked for by a good request, which is one of them.
  def calls(server) = Integer(server.get.headers.fetch("x-calls"))

  # A client that sends its body late is told to continue first.
  def without_continue(answer) = answer.class.new(answer.raw.delete_prefix(CONTINUE))

  # Whether all are the same good answer, except for what changes each time: the lobby gives each request an ID.
  def one_content?(answers)
    contents = answers.map do |answer|
      [answer.lines.grep_v(/\A(date|x-calls):/), answer.body.sub(/"HTTP_X_REQUEST_ID", "\h{8}(-\h{4}){3}-\h{12}"/, "")]
    end
    contents.uniq.size == 1 && answers.map(&:status).uniq == [200]
  end

  def complaint(example, answers) = "#{example.name}: #{answers.map { |answer| answer.raw[0, 1000] }.join("\n")}"
end
