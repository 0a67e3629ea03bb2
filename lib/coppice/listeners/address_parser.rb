# frozen_string_literal: true

require "socket"
require "coppice/errors"

module Coppice
  module Listeners
    # Parses an address of the configuration into the fields of an Address. Makes no network access: host names are
    # resolved when the address is bound.
    class AddressParser
      FORMS = '8080, "127.0.0.1:8080", "*:8080", "[::1]:8080", "/path/to.sock", "unix:path/to.sock" or "~/to.sock"'

      ANY_HOST = "0.0.0.0"
      # The port of a numeric address without one, as for Pitchfork.
      DEFAULT_PORT = 80
      # sun_path has 108 bytes, one of which is the zero at the end.
      MAX_PATH_BYTES = 107

      #: (String | Integer) -> void
      def initialize(value)
        @value = value
      end

      # Raises InvalidValue for a value that has none of the FORMS.
      def fields #: () -> Hash[Symbol, untyped]
        refuse("write #{FORMS}") unless @value.is_a?(Integer) || @value.is_a?(String)
        case @value
        when Integer, /\A\d+\z/, /\A:\d+\z/ then tcp(ANY_HOST, @value.to_s.delete(":")).merge(without_host: true)
        when /\A(?:unix:)?([\/~].*)\z/m, /\Aunix:(.+)\z/m then unix($1)
        when /\A\*:(\d+)\z/ then tcp(ANY_HOST, $1)
        when /\A\[([\h:.]+(?:%\w+)?)\](?::(\d+))?\z/, /\A(\d+\.\d+\.\d+\.\d+)(?::(\d+))?\z/ then tcp(numeric($1), $2)
        when /\A([\w.-]+):(\d+)\z/ then tcp($1, $2)
        else refuse("write #{FORMS}")
        end
      end

      private

      def tcp(host, port)
        port = Integer(port || DEFAULT_PORT)
        refuse("a port is 0 to 65535") unless (0..65_535).cover?(port)
        { kind: :tcp, host: -host, port: port }
      end

      def unix(text)
        path = File.expand_path(text)
        if path.bytesize > MAX_PATH_BYTES
          refuse("the path has #{path.bytesize} bytes, and only #{MAX_PATH_BYTES} are allowed")
        end

        { kind: :unix, path: -path }
      rescue ArgumentError => error # a null byte, or an unknown user after the tilde
        refuse(error.message)
      end

      # The normal form, so that equal addresses have equal texts.
      def numeric(host)
        Addrinfo.ip(host).ip_address
      rescue SocketError
        refuse("write #{FORMS}")
      end

      def refuse(reason)
        raise InvalidValue.new("cannot be #{@value.inspect[0, 80]}: #{reason}", reason: "is no address: #{reason}")
      end
    end
  end
end
