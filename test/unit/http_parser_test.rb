# frozen_string_literal: true

require "test_helper"
require "support/conformance_corpus"
require "support/mutations"
require "support/parser_driver"

# The request parser (ext/coppice/http), by the requests of test/conformance and by its properties.
class HttpParserTest < Coppice::TestCase
  HOST = "Host: example.com\r\n"
  ALL_BYTES = (0..255).map { |byte| byte.chr.b }.freeze
  LETTERS_AND_DIGITS = [*"a".."z", *"A".."Z", *"0".."9"].freeze
  VISIBLE = (0x21..0x7e).map { |byte| byte.chr.b }.freeze

  # Words of the reason for each kind of refusal; what comes first in a request is what counts.
  REASONS = {
    "G@T / HTTP/1.1" => "not a token",
    "FETCH / " => "not a registered one",
    "PRI * HTTP/2.0" => "HTTP/2",
    "\x16\x03\x01" => "TLS",
    "GET a " => "target is malformed",
    "GET /\r\n" => "version is missing",
    "GET / HTTP/1.1 " => "version is missing or malformed",
    "GET / HTTP/3" => "neither 1.0 nor 1.1",
    "GET / HTTP/1.1\n" => "CR LF",
    "GET / HTTP/1.1\r\nA: b\n" => "CR LF",
    "GET / HTTP/1.1\r\n A: b" => "name is malformed",
    "GET / HTTP/1.1\r\nA: b\r\n c" => "folded",
    "GET / HTTP/1.1\r\nA: \0" => "control character",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n" => "came twice",
    "GET / HTTP/1.1\r\nHost: a b\r\n" => "Host",
    "GET / HTTP/1.1\r\nExpect: more\r\n" => "expectation",
    "GET / HTTP/1.1\r\nContent-Length: x\r\n" => "not a number",
    "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n" => "came with Content-Length",
    "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n" => "came with Content-Length",
    "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n" => "in HTTP/1.0",
    "GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n" => "end with one chunked",
    "GET / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n" => "but chunked is supported",
    "GET /#{'a' * 20_000}" => "line is too long",
    "GET / HTTP/1.1\r\nA: #{'b' * 200_000}" => "head is too large",
    "GET / HTTP/1.1\r\n#{"A: b\r\n" * 200}" => "too many header lines",
  }.freeze

  def setup
    @driver = Coppice::ParserDriver.new
  end

  test "every request of the corpus gets its verdict" do
    cases = Coppice::ConformanceCorpus.cases
    wrong = cases.zip(@driver.heads(cases.map(&:bytes))).reject { |example, outcome| expected?(example, outcome) }
    assert_operator cases.size, :>=, 120
    assert_empty(wrong.map do |example, outcome|
      "#{example.name}: #{outcome.result} #{outcome.status} #{outcome.reason}"
    end)
  end

  test "the name of each case says what its file is" do
    folders = Coppice::ConformanceCorpus.cases.map { |example| [example.name[/\A\w+/], example.accept?] }
    assert_equal [["accept", true], ["refuse", false]], folders.uniq
  end

  test "a refusal gives its reason" do
    reasons = REASONS.map { |request, reason| [reason, read(request).reason] }
    wrong = reasons.reject { |wanted, given| given.include?(wanted) }
    assert_empty wrong
  end

  test "an ordinary request is taken apart" do
    fields = "hOsT: example.com:80\r\nX-A:  b c \t\r\nX-B:\r\nContent-Length: 12\r\n"
    head = read("POST /a/b?c=d?e HTTP/1.1\r\n#{fields}\r\nbody")
    assert_equal ["POST", "/a/b?c=d?e", "/a/b", "c=d?e"], [head[:method], head[:target], head[:path], head[:query]]
    assert_equal ["", "", "example.com:80"], [head[:scheme], head[:authority], head[:host]]
    assert_equal [["hOsT", "example.com:80"], ["X-A", "b c"], ["X-B", ""], ["Content-Length", "12"]], head.fields
    assert_equal [1, 1, 12, 0], [head[:minor_version], head[:has_content_length], head[:content_length], head[:chunked]]
  end

  test "bytes behind the head are left alone" do
    head = "GET / HTTP/1.1\r\n#{HOST}\r\n"
    positions = @driver.heads([head, "#{head}\0\n\xff".b, head * 2]).map { |outcome| outcome[:position] }
    assert_equal [head.bytesize] * 3, positions
  end

  test "an absolute target is taken apart" do
    head = read("GET HTTPS://[::1]:8443/a?b HTTP/1.1\r\nHost: [::1]:8443\r\n\r\n")
    assert_equal ["HTTPS", "[::1]:8443", "/a", "b"], [head[:scheme], head[:authority], head[:path], head[:query]]
  end

  test "an absolute target may go without path" do
    head = read("GET http://example.com?b HTTP/1.1\r\n#{HOST}\r\n")
    assert_equal ["example.com", "", "b"], [head[:authority], head[:path], head[:query]]
  end

  test "the target of CONNECT is an authority and no path" do
    head = read("CONNECT example.com:443 HTTP/1.1\r\n#{HOST}\r\n")
    assert_equal ["example.com:443", "", ""], [head[:authority], head[:path], head[:scheme]]
  end

  test "the asterisk is a path" do
    assert_equal "*", read("OPTIONS * HTTP/1.1\r\n#{HOST}\r\n")[:path]
  end

  test "the question mark of an empty query belongs to the target alone" do
    head = read("GET /? HTTP/1.1\r\n#{HOST}\r\n")
    assert_equal ["/?", "/", ""], [head[:target], head[:path], head[:query]]
  end

  test "the colon of an empty port does not belong to the host" do
    head = read("GET http://example.com:/ HTTP/1.1\r\nHost: example.com:\r\n\r\n")
    assert_equal ["example.com", "example.com"], [head[:host], head[:authority]]
  end

  test "version and Connection say whether the client wants to keep the connection" do
    wanted = {
      ["1.1", ""] => 1, ["1.1", "close"] => 0, ["1.1", "x, Close"] => 0, ["1.1", "keep-alive, close"] => 0,
      ["1.1", "closed"] => 1, ["1.0", ""] => 0, ["1.0", "Keep-Alive"] => 1, ["1.0", "keep-alive, close"] => 0,
    }
    found = flags(:keep_alive, wanted) do |(version, value)|
      "GET / HTTP/#{version}\r\n#{HOST}Connection: #{value}\r\n\r\n"
    end
    assert_equal wanted, found
  end

  test "Connection lines add up" do
    assert_equal 0, read("GET / HTTP/1.1\r\n#{HOST}Connection: keep-alive\r\nConnection: close\r\n\r\n")[:keep_alive]
  end

  test "an upgrade needs both fields and HTTP/1.1" do
    wanted = {
      ["1.1", "Connection: upgrade\r\nUpgrade: websocket\r\n"] => 1, ["1.1", "Upgrade: websocket\r\n"] => 0,
      ["1.1", "Connection: upgrade\r\n"] => 0, ["1.0", "Connection: upgrade\r\nUpgrade: websocket\r\n"] => 0,
    }
    assert_equal wanted, flags(:upgrade, wanted) { |(version, fields)| "GET / HTTP/#{version}\r\n#{HOST}#{fields}\r\n" }
  end

  test "100-continue is expected only where a body follows in HTTP/1.1" do
    wanted = {
      ["1.1", "Content-Length: 1"] => 1, ["1.1", "Transfer-Encoding: chunked"] => 1, ["1.1", "Content-Length: 0"] => 0,
      ["1.1", "Accept: */*"] => 0, ["1.0", "Content-Length: 1"] => 0,
    }
    found = flags(:expects_continue, wanted) do |(version, field)|
      "PUT / HTTP/#{version}\r\n#{HOST}Expect: 100-continue\r\n#{field}\r\n\r\n"
    end
    assert_equal wanted, found
  end

  test "a Content-Length may be as large as a signed 64-bit number" do
    requests = [(2**63) - 1, 2**63].map { |length| "PUT / HTTP/1.1\r\n#{HOST}Content-Length: #{length}\r\n\r\n" }
    largest, larger = @driver.heads(requests)
    assert_equal (2**63) - 1, largest[:content_length]
    assert_equal 400, larger.status
  end

  test "each beginning of a good head is incomplete" do
    head = "GET http://example.com/a?b HTTP/1.1\r\n#{HOST}X-A: b\r\n\r\n"
    beginnings = (0...head.bytesize).map { |length| head.byteslice(0, length) }
    assert_equal [:incomplete], @driver.heads(beginnings).map(&:result).uniq
  end

  test "a request line fits its limit exactly or is too long" do
    line = "GET /abc HTTP/1.1\r\n"
    statuses = [line.bytesize - 1, line.bytesize].map do |bytes|
      read("#{line}#{HOST}\r\n", request_line_bytes: bytes).status
    end
    assert_equal [414, 200], statuses
  end

  test "a head fits its limit exactly or is too large" do
    head = "GET / HTTP/1.1\r\n#{HOST}\r\n"
    assert_equal [431, 200], [head.bytesize - 1, head.bytesize].map { |bytes| read(head, header_bytes: bytes).status }
  end

  test "an unfinished part that fills its limit is refused at once" do
    assert_equal 414, read("GET /abc", request_line_bytes: 8).status
    assert_equal 414, read("GET /abc", header_bytes: 8).status
    assert_equal 431, read("GET / HTTP/1.1\r\nHost", header_bytes: 20).status
  end

  test "as many fields as the limit allows" do
    head = "GET / HTTP/1.1\r\n#{HOST}A: b\r\nC: d\r\n\r\n"
    assert_equal [431, 431, 200], [0, 2, 3].map { |count| read(head, field_capacity: count).status }
  end

  test "the largest limits do not overflow" do
    limits = { request_line_bytes: (2**32) - 1, header_bytes: (2**32) - 1 }
    assert_equal :complete, read("GET / HTTP/1.1\r\n#{HOST}\r\n", **limits).result
  end

  test "a method is made of tchars" do
    tchars = LETTERS_AND_DIGITS + "!#$%&'*+-.^_`|~".chars
    assert_bytes(tchars, status: 501) { |byte| "#{byte} / HTTP/1.1\r\n" }
  end

  test "a name is made of tchars" do
    tchars = LETTERS_AND_DIGITS + "!#$%&'*+-.^_`|~".chars
    assert_bytes([*tchars, ":"]) { |byte| "GET / HTTP/1.1\r\n#{HOST}X#{byte}A: b\r\n\r\n" }
  end

  test "a value is made of visible bytes, blanks and bytes above 127" do
    high_bytes = "\x80".b.."\xff".b
    assert_bytes([*VISIBLE, " ", "\t", *high_bytes]) { |byte| "GET / HTTP/1.1\r\n#{HOST}X-A: a#{byte}b\r\n\r\n" }
  end

  # Values are read eight bytes at a time.
  test "a value is read alike wherever a byte stands in it" do
    bytes = ["\0", "\b", "\t", "\x1f", " ", "~", "\x7f", "\x80", "\xff"].map(&:b)
    inputs = bytes.product((0..8).to_a).map do |byte, at|
      "GET / HTTP/1.0\r\nX-A: #{'a' * at}#{byte}#{'b' * (9 - at)}\r\n\r\n"
    end
    statuses = @driver.heads(inputs).map(&:status).each_slice(9).map(&:uniq)
    assert_equal [[400], [400], [200], [400], [200], [200], [400], [200], [200]], statuses
  end

  test "a path is made of visible bytes without fragment and backslash" do
    assert_bytes(VISIBLE - ["#", "\\"]) { |byte| "GET /a#{byte}b HTTP/1.1\r\n#{HOST}\r\n" }
  end

  test "a query is made of visible bytes without fragment" do
    assert_bytes(VISIBLE - ["#"]) { |byte| "GET /?a#{byte}b HTTP/1.1\r\n#{HOST}\r\n" }
  end

  test "a host is made of letters, digits and a few signs" do
    assert_bytes([*LETTERS_AND_DIGITS, "-", ".", "_", "~", ":"]) { |byte| "GET / HTTP/1.1\r\nHost: a#{byte}1\r\n\r\n" }
  end

  test "the host in a target is made of the same bytes as in Host" do
    # Slash and question mark end it there, so that Host agrees.
    good = [*LETTERS_AND_DIGITS, "-", ".", "_", "~", ":", "/", "?"]
    assert_bytes(good) { |byte| "GET http://a#{byte}1 HTTP/1.0\r\n\r\n" }
  end

  test "mutated requests get one verdict however they are split" do
    originals = Coppice::ConformanceCorpus.cases.map(&:bytes).select { |bytes| bytes.bytesize < 400 }
    inputs = Coppice::Mutations.new(Minitest.seed).of(originals, 500)
    assert_equal inputs.size, @driver.heads(inputs).size
  end

  private

  def read(bytes, **limits)
    @driver.heads([bytes], **limits).first
  end

  # Of a chunked request only the head is meant here; ChunkedTest reads the bodies.
  def expected?(example, outcome)
    return outcome.status == example.verdict if outcome.result == :refused

    outcome.result == :complete && (example.accept? || outcome[:chunked] == 1)
  end

  def flags(key, cases, &request)
    outcomes = @driver.heads(cases.keys.map(&request))
    assert_equal [:complete], outcomes.map(&:result).uniq
    cases.keys.zip(outcomes.map { |outcome| outcome[key] }).to_h
  end

  # Exactly these bytes may stand where the block puts them.
  def assert_bytes(good, status: 200, &request)
    outcomes = @driver.heads(ALL_BYTES.map(&request))
    found = ALL_BYTES.zip(outcomes).filter_map { |byte, outcome| byte if outcome.status == status }
    assert_equal good.map(&:b).sort, found
  end
end
