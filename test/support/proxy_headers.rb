# frozen_string_literal: true

require_relative "c_program"

module Coppice
  # Headers of the PROXY protocol for tests, and the program that reads them
  # (ext/coppice/lobby/client/proxy_protocol.c).
  module ProxyHeaders
    SIGNATURE = "\r\n\r\n\0\r\nQUIT\n".b
    IPV4 = [192, 0, 2, 1, 198, 51, 100, 2, 56_324, 443].pack("C8n2").freeze
    IPV6 = ["20010db8000000000000000000000001", "20010db8000000000000000000000002", 56_324, 443].pack("H32H32n2").freeze
    PROGRAM = CProgram.new("proxy_driver", "test/lobby/{proxy_driver,proxy_harness}.c",
      "ext/coppice/lobby/client/proxy_protocol.c", "ext/coppice/shared/lobby_address.c")

    # Good and bad ones, for mutations.
    SAMPLES = [
      "PROXY TCP4 192.0.2.1 198.51.100.2 56324 443\r\n", "PROXY TCP6 2001:db8::1 2001:db8::2 56324 443\r\n",
      "PROXY UNKNOWN\r\n", "PROXY UNKNOWN a b c\r\n", "GET / HTTP/1.1\r\n\r\n"
    ].map(&:b).freeze

    # A header of version 2; command: 0 for LOCAL, 1 for PROXY; family and transport in one byte.
    #: (String, ?command: Integer, ?family: Integer, ?length: Integer) -> String
    def self.version2(addresses, command: 1, family: 0x11, length: addresses.bytesize)
      SIGNATURE + [0x20 | command, family, length].pack("CCn") + addresses
    end

    # Answers a line for each input: the verdict and what was found.
    def self.read(inputs) #: (Array[String]) -> Array[String]
      PROGRAM.run(input: inputs.map { |bytes| "#{bytes.bytesize}\n".b << bytes.b }.join).lines(chomp: true)
    end

    # An extension of version 2.
    #: (Integer, String) -> String
    def self.extension(type, value) = [type, value.bytesize].pack("Cn") + value.b

    # The header of a proxy that ends TLS, as HAProxy sends it. flags: 1 for a client that used TLS.
    #: (?Integer) -> String
    def self.tls(flags = 1) = extension(0x20, [flags, 0].pack("CN") + extension(0x21, "TLSv1.3"))

    # What fuzzing begins with.
    def self.seeds #: () -> Array[String]
      SAMPLES + [version2(IPV4), version2(IPV6, family: 0x21), version2("", command: 0, family: 0),
                 version2("x" * 216, family: 0x31), version2("#{IPV4}\x04\x00\x03abc"),
                 version2(IPV4 + tls), version2("#{IPV6}#{tls(0)}\x04\x00\x00", family: 0x21)]
    end
  end
end
