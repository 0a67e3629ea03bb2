# frozen_string_literal: true

require "test_helper"
require_relative "../support/raw_client"
require_relative "../support/server"

# The limits of a request that the configuration sets: what just fits is served, and one byte or line more is refused
# before the application is called. The fixed limits and malformed requests are in test/conformance.
class LimitsTest < Coppice::TestCase
  # Answers how often it was called, this call included.
  APP = <<~RUBY
    calls = 0
    run ->(_env) { [200, {}, [(calls += 1).to_s]] }
  RUBY

  CONFIG = <<~RUBY
    max_request_line_bytes 100
    max_header_bytes 300
    max_header_count 3
    max_body_bytes 20
  RUBY

  def answer_to(server, request)
    RawClient.on(server.connect) do |client|
      client.write(request)
      answer = client.answer
      [answer.status, answer.body]
    end
  end

  # A GET whose request line has so many bytes, including its line end.
  def line_of(bytes) = "#{'GET /'.ljust(bytes - " HTTP/1.1\r\n".bytesize, 'a')} HTTP/1.1\r\nHost: x\r\n\r\n"

  # A GET whose whole head has so many bytes.
  def head_of(bytes) = "#{"GET / HTTP/1.1\r\nHost: x\r\nX: ".ljust(bytes - 4, 'a')}\r\n\r\n"

  def fields(count) = "GET / HTTP/1.1\r\nHost: x\r\n#{"X: y\r\n" * (count - 1)}\r\n"

  def body_of(bytes) = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: #{bytes}\r\n\r\n#{'a' * bytes}"

  # A body in these chunks.
  def chunks(*sizes)
    body = sizes.map { |size| "#{size.to_s(16)};some=extension\r\n#{'a' * size}\r\n" }.join
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n#{body}0\r\nX-Trailer: y\r\n\r\n"
  end

  # Status, what just fits, what does not.
  def cases
    {
      "max_request_line_bytes" => [414, line_of(100), line_of(101)],
      "max_header_bytes" => [431, head_of(300), head_of(301)],
      "max_header_count" => [431, fields(3), fields(4)],
      "max_body_bytes, as announced" => [413, body_of(20), body_of(21)],
      "max_body_bytes, without what is around the chunks" => [413, chunks(5, 15), chunks(5, 16)]
    }
  end

  test "what just fits is served, and what does not is refused before the application is called" do
    Server.open(app: APP, config: CONFIG) do |server|
      cases.each_with_index do |(limit, (status, fits, exceeds)), index|
        assert_equal [200, (index + 1).to_s], answer_to(server, fits), limit
        assert_equal status, answer_to(server, exceeds).first, limit
      end
    end
  end

  test "max_body_bytes also holds for a body that the application reads itself" do
    app = "run ->(env) { [200, {}, [env['rack.input'].read.bytesize.to_s]] }"
    Server.open(app: app, config: "#{CONFIG}rewindable_input false") do |server|
      assert_equal [200, "20"], answer_to(server, chunks(5, 15))
      assert_equal 413, answer_to(server, chunks(5, 16)).first
      assert_equal 413, answer_to(server, body_of(21)).first
    end
  end
end
