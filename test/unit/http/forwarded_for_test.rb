# frozen_string_literal: true

require "ipaddr"
require "test_helper"
require "support/forwarded_headers"
require "support/mutations"

module Coppice
  # Whom X-Forwarded-For names (ext/coppice/shared/forwarded_for.c), for a server that trusts 10.0.0.0/8 and fd00::/8.
  class ForwardedForTest < TestCase
    PEER = ForwardedHeaders::PEER

    test "the client is the last address that is not trusted" do
      assert_clients "192.0.2.1" => ["192.0.2.1", "192.0.2.1, 10.0.0.2", "192.0.2.1,10.0.0.3 ,\t10.0.0.2",
                                     "192.0.2.9, 192.0.2.1", "10.0.0.9, 192.0.2.1, 10.0.0.2", "nobody, 192.0.2.1"],
                     "2001:db8::1" => ["2001:db8::1", "192.0.2.9, 2001:db8::1, fd00::1"]
    end

    test "where all are trusted it is the first" do
      assert_clients "10.0.0.3" => ["10.0.0.3", "10.0.0.3, 10.0.0.2"], "fd00::3" => ["fd00::3, 10.0.0.2"]
    end

    test "several headers are one list" do
      assert_clients "192.0.2.1" => ["192.0.2.9\n192.0.2.1\n10.0.0.2", "192.0.2.1, 10.0.0.3\n\n10.0.0.2"]
    end

    test "without an address it is the peer" do
      assert_clients PEER => ["", ",", " , ,\t", "\n"]
    end

    test "a peer that is not trusted names nobody else, and one of a Unix socket always does" do
      assert_equal ["192.0.2.9"], ForwardedHeaders.read(["192.0.2.1"], peer: "192.0.2.9")
      assert_equal %w[192.0.2.1 10.0.0.3 unix], ForwardedHeaders.read(%w[192.0.2.1 10.0.0.3 nobody], peer: "unix")
    end

    test "a port belongs to no address" do
      assert_clients "192.0.2.1" => ["192.0.2.1:1", "192.0.2.1:65535, 10.0.0.2:80"],
                     "2001:db8::1" => ["[2001:db8::1]", "[2001:db8::1]:65535, [fd00::1]:80"]
    end

    test "an address of IPv4 is one in every form" do
      assert_clients "192.0.2.1" => ["::ffff:192.0.2.1", "[::ffff:c000:201]:80, ::ffff:10.0.0.2"]
    end

    test "it passes proxies at Unix sockets" do
      assert_clients "192.0.2.1" => ["192.0.2.1, unix:", "192.0.2.1, unix:, 10.0.0.2"],
                     "unix" => ["unix:", "nobody, unix:"]
    end

    test "what is no address ends the search" do
      wrong = ["unknown", "_hidden", "example.com", "192.0.2", "192.0.2.256", "192.0.2.01", "192.0.2.1:", "192.0.2.1:x",
               "192.0.2.1:123456", "192.0.2.1 10.0.0.3", "192.0.2.1\0", "192.0.2.1=5", "\"192.0.2.1\"", ":", "[", "[]",
               "[]:1", "[2001:db8::1", "2001:db8::1]", "[2001:db8::1]80", "[2001:db8::1]:", "fe80::1%eth0", ":::",
               "unix", "\xff", "1" * 1000]

      assert_clients PEER => wrong, "10.0.0.2" => wrong.map { |item| "192.0.2.9, #{item}, 10.0.0.2" }
    end

    test "it looks at so many items and no more" do
      assert_clients "192.0.2.1" => ["192.0.2.1, #{(["10.0.0.2"] * 31).join(",")}"],
                     "10.0.0.2" => ["192.0.2.1, #{(["10.0.0.2"] * 32).join(",")}"], PEER => ["192.0.2.1#{"," * 33}"]
    end

    test "mutations name an address" do
      inputs = Mutations.new(Minitest.seed).of(ForwardedHeaders::SAMPLES, 1000)
      clients = ForwardedHeaders.read(inputs)

      assert_equal inputs.size, clients.size
      (clients.uniq - ["unix"]).each { |client| assert_kind_of IPAddr, IPAddr.new(client) }
    end

    private

    def assert_clients(expected)
      expected.each { |client, values| assert_equal values.to_h { |value| [value, client] }, clients_of(values) }
    end

    def clients_of(values) = values.zip(ForwardedHeaders.read(values)).to_h
  end
end
