# frozen_string_literal: true

require "coppice/errors"
require "coppice/http/stream"
require "coppice/version_order"

module Coppice
  module Http
    # Writes an application's answer, in the way that its body asks for. One in each
    # worker. Does not close the body: whoever called the application does.
    class ResponseWriter
      #: (Connection) -> void
      def initialize(connection)
        @connection = connection
        @rack2 = rack2?
        @connection.joined_lines = @rack2
      end

      # The body's pieces in an Array when the body says with to_ary that it has them all: one send, and a content-length. From
      # Rack 3 on to_ary closes the body, and what an application put off until then (Rack::BodyProxy) would delay the client:
      # a body with `close` is read by `each`, and closed by the exchange. Before Rack 3 such a body is only written by `each`.
      #: (untyped) -> untyped
      def collected_body(body)
        return body unless body.respond_to?(:to_ary)
        return body.to_ary unless body.respond_to?(:close)

        @rack2 ? body : [].tap { |pieces| body.each { |piece| pieces << piece } }
      end

      # Answers how many bytes the body was short of its content-length; negative when it was too long, and cut.
      # Raises ResponseError when the answer is not one, ClientGone when nobody listens.
      #: (untyped, untyped, untyped, untyped, Client) -> Integer
      def write(status, headers, body, input, client)
        headers = collected_headers(headers)
        takeover = headers["rack.hijack"]
        return hand_over(status, headers, takeover, client) if takeover
        return @connection.respond(status, headers, body) if body.is_a?(Array)

        write_by_kind(status, headers, body, input, client)
      end

      private

      def write_by_kind(status, headers, body, input, client)
        if body.respond_to?(:to_path) then write_file(status, headers, body)
        elsif body.respond_to?(:each) then write_each(status, headers, body)
        elsif body.respond_to?(:call) then write_stream(status, headers, body, input, client)
        else raise ResponseError, "the body, of class #{body.class}, answers neither each nor call"
        end
      end

      def write_each(status, headers, body)
        if @connection.start_response(status, headers)
          body.each { |piece| @connection.write(piece) }
          trailers = body.trailers if body.respond_to?(:trailers)
        end
        @connection.finish_response(trailers)
      end

      # Whole regular files by the kernel; all else (a part of one, a file that cannot be opened) by each.
      def write_file(status, headers, body)
        file = regular_file(body.to_path)
        return write_each(status, headers, body) unless file && file.size.to_s == length_in(headers, file)

        @connection.write_file(file.fileno) if @connection.start_response(status, headers, file.size)
        @connection.finish_response
      ensure
        file&.close
      end

      def regular_file(path)
        file = File.open(path, File::RDONLY | File::BINARY | File::NONBLOCK) # a FIFO must not hold us
        return file if file.stat.file?

        file.close
        nil
      rescue SystemCallError
        nil
      end

      def length_in(headers, file)
        (headers["content-length"] || headers["Content-Length"] || file.size).to_s
      end

      # A protocol other than HTTP follows a 101: it gets the bare socket, which then is the application's.
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

      # Partial hijack: our head, the application's bytes.
      def hand_over(status, headers, takeover, client)
        @connection.start_response(status, headers, false)
        @connection.flush
        socket = client.call
        takeover.call(socket)
        0
      rescue *APPLICATION_ERRORS # the socket was the application's to close: its client would wait for ever
        socket&.close
        raise
      end

      # Rack 2 asks of headers no more than `each`.
      def collected_headers(headers)
        return headers if headers.is_a?(Hash)
        raise ResponseError, "the headers are of class #{headers.class}, not a Hash" unless headers.respond_to?(:each)

        headers.each.with_object({}) { |(name, value), all| (all[name] ||= []) << value }
      end

      def rack2?
        defined?(::Rack.release) ? !VersionOrder.at_least?(::Rack.release, "3") : false
      end
    end
  end
end
