# frozen_string_literal: true

require "test_helper"
require "support/conformance_corpus"
require "support/mutations"
require "support/parser_driver"

# The decoder of chunked bodies (ext/coppice/http/chunked*.c), by the requests of test/conformance and by its
# properties.
class ChunkedTest < Coppice::TestCase
  def setup
    @driver = Coppice::ParserDriver.new
  end

  test "every chunked request of the corpus gets its verdict" do
    cases = chunked_cases
    wrong = cases.zip(@driver.bodies(cases.map { |example| body_of(example) })).reject do |example, outcome|
      example.accept? ? outcome.result == :end : outcome.result == :refused && outcome.status == example.verdict
    end
    assert_operator cases.size, :>=, 60
    assert_empty(wrong.map do |example, outcome|
      "#{example.name}: #{outcome.result} #{outcome.status} #{outcome.reason}"
    end)
  end

  test "a refusal explains itself" do
    assert_equal "a chunk's size is not 1 to 16 hexadecimal digits", decode("x\r\n").reason
  end

  test "chunks are put together again" do
    random = Random.new(Minitest.seed)
    chunks = Array.new(50) { random.bytes(random.rand(1..60)) }
    outcome = decode(chunks.map { |chunk| "#{chunk.bytesize.to_s(16)}\r\n#{chunk}\r\n".b }.join << "0\r\n\r\n")
    assert_equal [:end, chunks.join], [outcome.result, outcome[:data]]
  end

  test "data is handed out as it comes" do
    outcome = decode("5\r\nhel")
    assert_equal [:more, "hel"], [outcome.result, outcome[:data]]
  end

  test "bytes behind the body are left alone" do
    body = "2\r\nhi\r\n0\r\nX-A: b\r\n\r\n"
    consumed = @driver.bodies([body, "#{body}GET / HTTP/1.1\r\n", "#{body}\r\n\0"]).map { |outcome| outcome[:consumed] }
    assert_equal [body.bytesize] * 3, consumed
  end

  test "each beginning of a good body wants more" do
    body = "2;a=b;c=\"d\\\"e\"\r\nhi\r\n00\r\nX-A: b\r\n\r\n"
    beginnings = (0...body.bytesize).map { |length| body.byteslice(0, length) }
    assert_equal [:more], @driver.bodies(beginnings).map(&:result).uniq
  end

  test "a body fits its limit exactly or is too large" do
    body = "2\r\nhi\r\n3\r\nall\r\n0\r\n\r\n"
    fitting, larger = [5, 4].map { |bytes| decode(body, body_bytes: bytes) }
    assert_equal [:end, "hiall"], [fitting.result, fitting[:data]]
    assert_equal [413, "hi"], [larger.status, larger[:data]]
  end

  test "a chunk that is too large is refused before any of it was handed out" do
    outcome = decode("6\r\nhi", body_bytes: 5)
    assert_equal [413, ""], [outcome.status, outcome[:data]]
  end

  test "no size overflows the count" do
    assert_equal :more, decode("ffffffffffffffff\r\nhi").result
    assert_equal 413, decode("2\r\nhi\r\nffffffffffffffff\r\n").status
    assert_equal 413, decode("2\r\nhi\r\nffffffffffffffff\r\n", body_bytes: 10).status
  end

  test "a size line fits its limit exactly or is too long" do
    body = "1;a=b\r\nx\r\n0\r\n\r\n"
    assert_equal [200, 400], [7, 6].map { |bytes| decode(body, line_bytes: bytes).status }
  end

  test "the extensions of all chunks share one limit" do
    body = "1;abc\r\nx\r\n1;abc\r\ny\r\n0\r\n\r\n"
    generous, narrow = [8, 7].map { |bytes| decode(body, extension_bytes: bytes) }
    assert_equal :end, generous.result
    assert_equal "the chunk extensions are too large", narrow.reason
  end

  test "trailers fit their limits exactly or are too large" do
    body = "0\r\nX-A: b\r\nX-C: d\r\n\r\n"
    assert_equal [200, 431], [16, 15].map { |bytes| decode(body, trailer_bytes: bytes).status }
    assert_equal [200, 431], [2, 1].map { |count| decode(body, trailer_count: count).status }
  end

  test "forbidden trailers are known in any case, others only resemble them" do
    verdicts = %w[CONTENT-length iF-x pRoXy-x Content-Lengthy X-Content-Length hos hosts If Proxy].to_h do |name|
      [name, decode("0\r\n#{name}: 1\r\n\r\n").status]
    end
    assert_equal %w[CONTENT-length iF-x pRoXy-x], verdicts.select { |_, status| status == 400 }.keys
  end

  test "a trailer's name may be long" do
    assert_equal :end, decode("0\r\n#{'a' * 100}: 1\r\n\r\n").result
    assert_equal 400, decode("0\r\nproxy-#{'a' * 100}: 1\r\n\r\n").status
  end

  test "mutated bodies get one verdict however they are split" do
    originals = chunked_cases.map { |example| body_of(example) }.select { |bytes| bytes.bytesize < 400 }
    inputs = Coppice::Mutations.new(Minitest.seed).of(originals, 500)
    assert_equal inputs.size, @driver.bodies(inputs).size
  end

  private

  def decode(bytes, **limits)
    @driver.bodies([bytes], **limits).first
  end

  # Cases whose head is good and says chunked.
  def chunked_cases
    cases = Coppice::ConformanceCorpus.cases.select { |example| example.bytes.match?(/^transfer-encoding:/i) }
    cases.zip(@driver.heads(cases.map(&:bytes))).filter_map { |example, head| example if head.result == :complete }
  end

  def body_of(example)
    example.bytes.split("\r\n\r\n", 2).last
  end
end
