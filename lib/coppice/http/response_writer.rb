# frozen_string_literal: true

require "coppice/errors"
require "coppice/http/stream"

module Coppice
  module Http
    # Writes an application's response, in the way that its body asks for. There is one in each worker. The exchange,
    # which called the application, closes the body.
    class ResponseWriter
      # rack2: whether responses are those of Rack 2.
      #: (Connection, rack2: bool) -> void
      def initialize(connection, rack2:)
        @connection = connection
        @rack2 = rack2
      end

      # The body's pieces in an Array, if the body says with to_ary that it has them all: then one send is enough, and
      # the length is known. Since Rack 3 to_ary also closes the body (SPEC), and what an application puts off until
      # then (Rack::BodyProxy) would delay the client: a body that has `close` is read by its `each`, and the exchange
      # closes it. With an older Rack such a body is written by its `each`.
      #: (untyped) -> untyped
      def collected_body(body)
        return body unless body.respond_to?(:to_ary)
        return body.to_ary || body unless body.respond_to?(:close) # nil, which Rack forbids, is Ruby's "it has none"

        @rack2 ? body : [].tap { |pieces| body.each { |piece| pieces << piece } }
      end

      # Returns how many bytes the body was short of its content-length; negative when it was too long, and cut.
      # Raises ResponseError when the response is malformed, ClientGone when the client has left.
      #: (untyped, untyped, untyped, untyped, Client) -> Integer
      def write(status, headers, body, input, client)
        headers = collected_headers(headers)
        takeover = headers["rack.hijack"] if headers.key?("rack.hijack") # a Hash may make up values
        return hand_over(status, headers, takeover, client) if takeover
        return @connection.respond(status, headers, body) if body.is_a?(Array)

        write_by_kind(status, headers, body, input, client)
      end

      private

      def write_by_kind(status, headers, body, input, client)
        if body.respond_to?(:to_path) then write_file(status, headers, body)
        elsif body.respond_to?(:each) then write_each(status, headers, body)
        elsif body.respond_to?(:call) then write_stream(status, headers, body, input, client)
        else raise ResponseError, "the body, of class #{body.class}, has neither each nor call"
        end
      end

      # A body may keep the block, or call it on a thread that outlives the response: the connection has another client
      # then. Nothing may come between the look at `open` and the write.
      def write_each(status, headers, body)
        open = true
        if @connection.start_response(status, headers)
          body.each { |piece| open ? @connection.write(piece) : raise(IOError, "the response has ended") }
          trailers = body.trailers if body.respond_to?(:trailers)
        end
        @connection.finish_response(trailers)
      ensure
        open = false
      end

      # The kernel sends whole regular files; everything else (a part of a file, one that cannot be opened, a pipe with
      # nil for a path) goes by `each`.
      def write_file(status, headers, body)
        path = body.to_path
        file = regular_file(path) if path
        return write_each(status, headers, body) unless file && whole?(file, headers)

        @connection.write_file(file.fileno) if @connection.start_response(status, headers, file.size)
        @connection.finish_response
      ensure
        file&.close
      end

      def regular_file(path)
        file = File.open(path, File::RDONLY | File::BINARY | File::NONBLOCK) # does not wait for the writer of a FIFO
        return file if file.stat.file?

        file.close
        nil
      rescue SystemCallError
        nil
      end

      # A file without a size may have contents, as in /proc; with a transfer coding its bytes are not the body's.
      def whole?(file, headers)
        return false if file.size.zero? || headers.any? { |name, _| name.casecmp?("transfer-encoding") }

        _, length = headers.find { |name, _| name.casecmp?("content-length") }
        length.nil? || length.to_s == file.size.to_s
      end

      # Another protocol than HTTP follows a 101: the application gets the bare socket.
      def write_stream(status, headers, body, input, client)
        return hand_over(status, headers, body, client) if status == 101

        return @connection.finish_response unless @connection.start_response(status, headers)

        @connection.flush
        stream = Stream.new(@connection, input)
        body.call(stream)
        stream.close
        stream.unwritten
      ensure
        stream&.disown
      end

      # Partial hijack: the server sends the head, the application writes the body on the socket.
      def hand_over(status, headers, takeover, client)
        @connection.start_response(status, headers, false)
        @connection.flush
        socket = client.call
        takeover.call(socket)
        0
      rescue UserCodeError # the application should have closed the socket: its client would wait forever
        socket&.close
        raise
      end

      # With Rack 2, headers may be anything that has `each`, and a name may come more than once.
      def collected_headers(headers)
        return headers if headers.is_a?(Hash)
        raise ResponseError, "the headers are of class #{headers.class}, not a Hash" unless headers.respond_to?(:each)

        {}.tap do |all|
          headers.each do |name, value|
            all[name] = all.key?(name) ? [*lines(all[name]), *lines(value)] : value
          end
        end
      end

      def lines(value) = @rack2 && value.is_a?(String) ? value.split("\n") : value
    end
  end
end
