# frozen_string_literal: true

require "test_helper"
require "coppice/listeners/address"

module Coppice
  module Listeners
    class AddressTest < TestCase
      # What people write, and what it means.
      TCP = {
        8080 => ["0.0.0.0", 8080, "0.0.0.0:8080"],
        0 => ["0.0.0.0", 0, "0.0.0.0:0"],
        "8080" => ["0.0.0.0", 8080, "0.0.0.0:8080"],
        "*:3000" => ["0.0.0.0", 3000, "0.0.0.0:3000"],
        ":3000" => ["0.0.0.0", 3000, "0.0.0.0:3000"],
        "127.0.0.1:3000" => ["127.0.0.1", 3000, "127.0.0.1:3000"],
        "127.0.0.1" => ["127.0.0.1", 80, "127.0.0.1:80"],
        "localhost:3000" => ["localhost", 3000, "localhost:3000"],
        "app-1.example.com:3000" => ["app-1.example.com", 3000, "app-1.example.com:3000"],
        "[::1]:3000" => ["::1", 3000, "[::1]:3000"],
        "[::]:3000" => ["::", 3000, "[::]:3000"],
        "[::1]" => ["::1", 80, "[::1]:80"],
        "[0:0:0::1]:3000" => ["::1", 3000, "[::1]:3000"]
      }.freeze

      UNIX = {
        "/run/app.sock" => "/run/app.sock",
        "/run/../tmp/app.sock" => "/tmp/app.sock",
        "unix:/run/app.sock" => "/run/app.sock",
        "unix:tmp/app.sock" => File.expand_path("tmp/app.sock"),
        "unix:~/app.sock" => File.expand_path("~/app.sock"),
        "~/app.sock" => File.expand_path("~/app.sock"),
        "/run/with space:1.sock" => "/run/with space:1.sock"
      }.freeze

      NONSENSE = ["", "nowhere", "tmp/app.sock", "http://localhost:3000", "localhost:", "1.2.3:x", "[::1",
                  "[g::]:80", "999.1.1.1:80",
                  "127.0.0.1:70000", "70000", 70_000, -1, "8080\n", nil, :"8080", 1.5].freeze

      test "TCP addresses" do
        TCP.each do |written, (host, port, text)|
          address = Address.parse(written)
          assert_equal [:tcp, host, port, nil, text],
            [address.kind, address.host, address.port, address.path, address.to_s], written
        end
      end

      test "Unix addresses" do
        UNIX.each do |written, path|
          address = Address.parse(written)
          assert_equal [:unix, nil, nil, path, path],
            [address.kind, address.host, address.port, address.path, address.to_s], written
        end
      end

      test "an invalid address is refused with the valid forms" do
        NONSENSE.each do |written|
          error = assert_raises(InvalidValue, written.inspect) { Address.parse(written) }
          assert_includes error.message, written.inspect
        end
        assert_includes assert_raises(InvalidValue) { Address.parse("nowhere") }.message, AddressParser::FORMS
      end

      test "a path that is too long for the kernel is refused" do
        assert_equal 107, Address.parse("/#{'x' * 106}").path.size
        assert_match(/108 bytes, and only 107/, assert_raises(InvalidValue) { Address.parse("/#{'x' * 107}") }.message)
      end

      test "the text can be read again" do
        [*TCP.keys, *UNIX.keys].each do |written|
          address = Address.parse(written)
          assert_equal address.with_host(address.host), Address.parse(address.to_s)
        end
      end

      test "is a frozen value" do
        address = Address.parse("127.0.0.1:1", backlog: 5)
        assert_equal address, Address.parse("127.0.0.1:1", backlog: 5)
        refute_equal address, Address.parse("127.0.0.1:1")
        assert_predicate address, :frozen?
        assert_predicate address.options, :frozen?
      end

      test "has a value for each option" do
        assert_equal DEFAULT_OPTIONS.merge(backlog: 5), Address.parse(1, backlog: 5).options
      end

      test "travels as plain values" do
        [Address.parse("[::1]:1", backlog: 5), Address.parse("/a.sock")].each do |address|
          assert_equal address, Address.from_wire(Marshal.load(Marshal.dump(address.to_wire)))
        end
      end

      test "is shown with the options that are not the default" do
        { Address.parse(1) => "0.0.0.0:1", Address.parse(1, backlog: nil, scheme: :http) => "0.0.0.0:1",
          Address.parse(1, scheme: :https, proxy_protocol: true) => "0.0.0.0:1 (proxy_protocol: true, scheme: :https)",
          Address.parse("/a", lobby: true, umask: 0o17) => "/a (lobby: true, umask: 0o017)" }
          .each { |address, text| assert_equal text, address.text_with_options }
      end

      test "overlaps with those of which the kernel lets only one be bound" do
        { [1, 1] => true, [1, 2] => false, [1, "127.0.0.1:1"] => true, ["127.0.0.1:1", "127.0.0.2:1"] => false,
          ["[::]:1", 1] => true, ["[::]:1", "127.0.0.1:1"] => true, ["[::]:1", "[::1]:1"] => true,
          ["[::1]:1", 1] => false, ["/a", "/a"] => true, ["/a", "/b"] => false, ["/a", 1] => false }
          .each do |pair, expected|
          one, other = pair.map { |text| Address.parse(text) }
          assert_equal [expected] * 2, [one.overlaps?(other), other.overlaps?(one)], pair.inspect
        end
      end

      test "one for IPv6 only overlaps with none for IPv4" do
        only = Address.parse("[::]:1", ipv6only: true)

        [1, "127.0.0.1:1"].each { |text| refute only.overlaps?(Address.parse(text)), text }
        assert only.overlaps?(Address.parse("[::1]:1"))
      end

      test "knows its kind" do
        assert_predicate Address.parse("[::1]:1"), :ipv6?
        refute_predicate Address.parse("127.0.0.1:1"), :ipv6?
        assert_predicate Address.parse("/a"), :unix?
        refute_predicate Address.parse("/a"), :ipv6?
      end
    end
  end
end
