# frozen_string_literal: true

require "coppice/listeners/address_parser"

module Coppice
  module Listeners
    # Defaults of the options of `listen`; nil leaves the choice to the kernel, to `queues`, or to the socket's owner.
    # Config::LISTEN_OPTIONS describes them.
    DEFAULT_OPTIONS = {
      lobby: nil, proxy_protocol: false, scheme: :http, backlog: nil, queues: 1, queues_per_worker: nil,
      rcvbuf: nil, sndbuf: nil,
      tcp_nodelay: true, tcp_nopush: false, tcp_defer_accept: 1, ipv6only: nil, reuseport: false,
      umask: 0, tries: 5, delay: 0.5
    }.freeze

    # Kinds of addresses whose clients the lobby meets unless the option `lobby` says otherwise.
    LOBBY_KINDS = [:tcp].freeze

    # An address to listen on, with its options: a frozen value without a socket, used in every process. A TCP address
    # has host and port, a Unix one a path; options has a value for each of DEFAULT_OPTIONS. without_host: true for a
    # port alone, until Config::ListenHosts has decided what its host is.
    Address = Struct.new(:kind, :host, :port, :path, :options, :without_host, keyword_init: true) do
      # Raises InvalidValue for a value that has none of AddressParser::FORMS.
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

      # Whether the lobby meets the clients, or else workers accept them.
      def lobby? #: () -> bool
        options[:lobby].nil? ? LOBBY_KINDS.include?(kind) : options[:lobby]
      end

      # Whether its clients use TLS to the proxy.
      def https? #: () -> bool
        options[:scheme] == :https
      end

      def ipv6? #: () -> bool
        tcp? && host.include?(":")
      end

      # Whether only this machine can connect. A name other than localhost may mean anything.
      def local? #: () -> bool
        unix? || host.match?(/\A(?:localhost|127(?:\.\d+){3}|::1)\z/)
      end

      # Whether the kernel lets only one of both be bound.
      #: (Address) -> bool
      def overlaps?(other)
        return to_s == other.to_s unless tcp? && other.tcp?

        port == other.port && (host == other.host || includes?(other) || other.includes?(self))
      end

      # Whether this is a TCP address that stands for all hosts of the other's kind.
      #: (Address) -> bool
      def includes?(other)
        case host
        when AddressParser::ANY_HOST then !other.ipv6?
        when "::" then other.ipv6? || !options[:ipv6only]
        else false
        end
      end

      # The text that `parse` reads, without the options.
      def to_s #: () -> String
        return path if unix?

        "#{ipv6? ? "[#{host}]" : host}:#{port}"
      end

      # For people: the text, and the options that are not the default, as the configuration file has them.
      def text_with_options #: () -> String
        own = options.reject { |name, value| value == DEFAULT_OPTIONS[name] }
        return to_s if own.empty?

        texts = own.map { |name, value| "#{name}: #{name == :umask ? format('0o%03o', value) : value.inspect}" }
        "#{self} (#{texts.join(', ')})"
      end

      # Plain values only.
      def to_wire #: () -> Hash[Symbol, untyped]
        to_h
      end

      # The same address with other options.
      #: (Hash[Symbol, untyped]) -> Address
      def with_options(options)
        self.class.from_wire(to_h.merge(options: options))
      end

      # The same address with a host that is decided.
      #: (String?) -> Address
      def with_host(host)
        self.class.from_wire(to_h.merge(host: host, without_host: nil))
      end

      # The same address at another port, to replace port 0 by the real one.
      #: (Integer) -> Address
      def with_port(port)
        self.class.from_wire(to_h.merge(port: port))
      end
    end
  end
end
