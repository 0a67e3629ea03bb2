# frozen_string_literal: true

require "coppice/listeners/address_parser"

module Coppice
  module Listeners
    # What each option of `listen` is when it is not given; nil leaves the choice to the kernel, or to `queues`.
    # Config::LISTEN_OPTIONS describes them.
    DEFAULT_OPTIONS = {
      backlog: 1024, queues: 1, queues_per_worker: nil,
      rcvbuf: nil, sndbuf: nil,
      tcp_nodelay: true, tcp_nopush: false, tcp_defer_accept: 1, ipv6only: nil, reuseport: false,
      umask: 0, tries: 5, delay: 0.5
    }.freeze

    # Where to listen, and how: a frozen value without a socket, used in every process. A TCP address has host and
    # port, a Unix one a path; options has a value for each of DEFAULT_OPTIONS.
    Address = Struct.new(:kind, :host, :port, :path, :options, keyword_init: true) do
      # Raises InvalidValue for a text that is none of AddressParser::FORMS.
      #: (String | Integer, ?Hash[Symbol, untyped]) -> Address
      def self.parse(value, options = {})
        from_wire(AddressParser.new(value).fields.merge(options: DEFAULT_OPTIONS.merge(options)))
      end

      # The opposite of to_wire.
      #: (Hash[Symbol, untyped]) -> Address
      def self.from_wire(wire)
        new(**wire, options: wire.fetch(:options).dup.freeze).freeze
      end

      def tcp? #: () -> bool
        kind == :tcp
      end

      def unix? #: () -> bool
        kind == :unix
      end

      def ipv6? #: () -> bool
        tcp? && host.include?(":")
      end

      # The text that `parse` reads, without the options.
      def to_s #: () -> String
        return path if unix?

        "#{ipv6? ? "[#{host}]" : host}:#{port}"
      end

      # Plain values only.
      def to_wire #: () -> Hash[Symbol, untyped]
        to_h
      end

      # The same place with other options.
      #: (Hash[Symbol, untyped]) -> Address
      def with_options(options)
        self.class.from_wire(to_h.merge(options: options))
      end

      # The same address at another port: what port 0 has become.
      #: (Integer) -> Address
      def with_port(port)
        self.class.from_wire(to_h.merge(port: port))
      end
    end
  end
end
