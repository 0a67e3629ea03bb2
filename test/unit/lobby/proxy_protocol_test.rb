# frozen_string_literal: true

require "test_helper"
require "support/mutations"
require "support/proxy_headers"

# The header of the PROXY protocol (ext/coppice/lobby/client/proxy_protocol.c). Each is read at every length; the
# program of the tests aborts when that makes a difference.
class ProxyProtocolTest < Coppice::TestCase
  ADDRESSES = { 4 => "192.0.2.1 56324 198.51.100.2 443", 6 => "2001:db8::1 56324 2001:db8::2 443" }.freeze
  IPV4 = Coppice::ProxyHeaders::IPV4
  IPV6 = Coppice::ProxyHeaders::IPV6

  test "version 1 names client and server" do
    assert_complete "PROXY TCP4 192.0.2.1 198.51.100.2 56324 443\r\n", ADDRESSES[4]
    assert_complete "PROXY TCP6 2001:db8::1 2001:db8::2 56324 443\r\n", ADDRESSES[6]
    assert_complete "PROXY TCP4 255.255.255.255 0.0.0.0 65535 0\r\n", "255.255.255.255 65535 0.0.0.0 0"
  end

  test "an IPv4 address in the form of an IPv6 one is an IPv4 address" do
    assert_complete "PROXY TCP6 ::ffff:192.0.2.1 ::ffff:198.51.100.2 56324 443\r\n", ADDRESSES[4]
    mapped = IPV4[0, 8].scan(/.{4}/mn).map { |ip| ("\0" * 10).b + "\xff\xff".b + ip }.join
    assert_complete version2(mapped + IPV4[8, 4], family: 0x21), ADDRESSES[4]
  end

  test "version 1 of a proxy that does not know is read to the end of the line" do
    assert_complete "PROXY UNKNOWN\r\n"
    assert_complete "PROXY UNKNOWN ffff::1 ffff::2 65535 65535 and more\r\n"
  end

  test "version 1 is as long as the longest one may be, and no longer" do
    assert_complete "PROXY UNKNOWN #{"x" * (107 - 16)}\r\n"
    assert_refused "PROXY UNKNOWN #{"x" * (108 - 16)}\r\n", "PROXY UNKNOWN #{"x" * 200}"
  end

  test "a line that is malformed is refused" do
    assert_refused "PROXY TCP4 192.0.2.1 198.51.100.2 56324 443\n", "PROXY TCP4 192.0.2.1 198.51.100.2 56324\r\n",
      "PROXY TCP4 192.0.2.1 198.51.100.2 56324 443 \r\n", "PROXY TCP4 192.0.2.1  198.51.100.2 56324 443\r\n",
      "PROXY TCP4 192.0.2.256 198.51.100.2 56324 443\r\n", "PROXY TCP4 192.0.2.01 198.51.100.2 56324 443\r\n",
      "PROXY TCP4 2001:db8::1 2001:db8::2 56324 443\r\n", "PROXY TCP6 192.0.2.1 198.51.100.2 56324 443\r\n",
      "PROXY TCP6 2001:db8::1%eth0 2001:db8::2 56324 443\r\n", "PROXY TCP5 192.0.2.1 198.51.100.2 56324 443\r\n",
      "PROXY TCP4 192.0.2.1 198.51.100.2 65536 443\r\n", "PROXY TCP4 192.0.2.1 198.51.100.2 056 443\r\n",
      "PROXY TCP4 192.0.2.1 198.51.100.2 -1 443\r\n", "PROXY TCP4 192.0.2.1\0 198.51.100.2 56324 443\r\n",
      "PROXY\r\n", "PROXY \r\n", "PROXY TCP4\r\n", "PROXY UNKNOWNx\r\n", "PROXY UNKNOWN\rx", "PROXY UNKNOWN \x80\r\n",
      "proxy UNKNOWN\r\n"
  end

  test "version 2 names client and server" do
    assert_complete version2(IPV4, family: 0x11), ADDRESSES[4]
    assert_complete version2(IPV4, family: 0x12), ADDRESSES[4]
    assert_complete version2(IPV6, family: 0x21), ADDRESSES[6]
    assert_complete version2("/" * 216, family: 0x31), "unix 0 unix 0"
  end

  test "version 2 of a proxy that connects for itself, or does not know, names nobody" do
    assert_complete version2("", command: 0, family: 0)
    assert_complete version2(IPV4, command: 0)
    assert_complete version2("anything", family: 0)
  end

  test "the extensions of version 2 are skipped" do
    assert_complete version2("#{IPV4}#{"\x04\x00\x03abc" * 10}"), ADDRESSES[4]
  end

  test "version 2 may be 16 KiB long" do
    longest = IPV4 + extension(4, "x" * (16_384 - 16 - 12 - 3))
    assert_complete version2(longest), ADDRESSES[4]
    assert_equal ["too long"] * 2, Coppice::ProxyHeaders.read([version2("#{longest}x"), version2("", length: 0xffff)])
  end

  test "a proxy that ends TLS says whether the client used it" do
    https = "#{ADDRESSES[4]} https"
    assert_complete version2(IPV4 + tls), https
    assert_complete version2(IPV4 + extension(1, "h2") + tls(7) + extension(4, "")), https
    assert_complete version2(IPV4 + extension(0x20, "\1\0\0\0\0")), https
    assert_complete version2(IPV6 + tls, family: 0x21), "#{ADDRESSES[6]} https"
    assert_complete version2(IPV4 + tls(6)), ADDRESSES[4]
    assert_complete version2(IPV4 + extension(4, tls)), ADDRESSES[4]
  end

  test "what a proxy says of TLS for itself, or for a client that it does not know, does not count" do
    assert_complete version2(IPV4 + tls, command: 0)
    assert_complete version2(tls, family: 0)
  end

  test "extensions that are malformed are refused" do
    assert_refused(*["\4", "\4\0", "\4\0\1", "\4\xff\xff#{"x" * 9}", "\x20\0\4\1\0\0\0", "\x20\0\0"].flat_map do |bytes|
      [version2(IPV4 + bytes.b), version2(IPV4 + tls + bytes.b)]
    end)
  end

  test "what version 2 does not know is refused" do
    assert_refused version2(IPV4, command: 2), version2(IPV4, family: 0x41), version2(IPV4, family: 0x13),
      version2(IPV4, length: 11), version2(IPV6, family: 0x21, length: 35), version2("/" * 215, family: 0x31),
      version2("").sub("\x21\x11", "\x11\x11"), "\r\n\r\n\0\r\nQUIT\r".b
  end

  test "a client without a header is refused with its first bytes" do
    assert_refused "GET / HTTP/1.1\r\n\r\n", "G", "PG", "\r\nGET /", "\0", "\x16\x03\x01"
  end

  test "beginnings are incomplete" do
    beginnings = Coppice::ProxyHeaders.seeds.grep_v(/\AGET/).flat_map do |header|
      (0...header.bytesize).map { |length| header.byteslice(0, length) }
    end

    assert_equal ["incomplete"], Coppice::ProxyHeaders.read(beginnings).uniq
  end

  test "mutations get one verdict at every length" do
    inputs = Coppice::Mutations.new(Minitest.seed).of(Coppice::ProxyHeaders.seeds, 1000)

    assert_equal inputs.size, Coppice::ProxyHeaders.read(inputs).size
  end

  private

  def version2(...) = Coppice::ProxyHeaders.version2(...)
  def extension(...) = Coppice::ProxyHeaders.extension(...)
  def tls(...) = Coppice::ProxyHeaders.tls(...)

  # Alone and with a request behind it.
  def assert_complete(header, addresses = nil)
    expected = ["complete", header.bytesize, addresses].compact.join(" ")
    read = Coppice::ProxyHeaders.read([header, "#{header}GET / HTTP/1.1\r\n".b])

    assert_equal [expected] * 2, read
  end

  def assert_refused(*headers)
    assert_empty(headers.zip(Coppice::ProxyHeaders.read(headers)).reject { |_, verdict| verdict == "refused" })
  end
end
