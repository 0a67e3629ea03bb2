# frozen_string_literal: true

require_relative "bounded_wait"

# Requests, each on a connection of its own, for classes that say with `connect` where to.
module OneShotClient
  # Seconds of waiting for a server that says nothing: one that boots answers late.
  SILENCE = 120

  # status, lower-case headers and body; `complete` unless it was cut off.
  Answer = Struct.new(:status, :headers, :body, :complete, keyword_init: true)

  # Raises what the socket raises, and BoundedWait::TimedOut.
  def get(target = "/", headers = {}) = request("GET", target, headers)

  def request(verb, target, headers = {}, body = nil)
    headers = { "Host" => "test", "Connection" => "close" }.merge(headers)
    headers["Content-Length"] = body.bytesize if body
    socket = connect
    fields = headers.map { |name, value| "#{name}: #{value}\r\n" }.join
    socket.write("#{verb} #{target} HTTP/1.1\r\n#{fields}\r\n#{body}")
    parse(BoundedWait.read(socket, SILENCE, "no answer to #{verb} #{target}"))
  ensure
    socket&.close
  end

  private

  def parse(bytes)
    head, body = bytes.split("\r\n\r\n", 2)
    raise EOFError, "no answer" unless head && body

    line, *fields = head.split("\r\n")
    headers = fields.to_h { |field| field.split(/:\s*/, 2).then { |name, value| [name.downcase, value] } }
    length = headers["content-length"]
    complete = length.nil? || length.to_i == body.bytesize
    Answer.new(status: line.split[1].to_i, headers: headers, body: body, complete: complete)
  end
end
