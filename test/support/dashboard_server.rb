# frozen_string_literal: true

require "socket"
require_relative "bounded_wait"

module Coppice
  # Serves a Rack application to a browser in a test: GET and POST without bodies, one connection a request, threads.
  # Nothing of Coppice's own engine, so that the dashboard is tested beside any server.
  class DashboardServer
    attr_reader :port

    def initialize(application, port: 0)
      @application = application
      @listener = TCPServer.new("127.0.0.1", port)
      @port = @listener.addr[1]
      @threads = ThreadGroup.new
      @acceptor = Thread.new { accept }
    end

    def address = "http://127.0.0.1:#{port}"

    # Closes the listener and waits for requests in flight.
    def stop
      @listener.close
      [@acceptor, *@threads.list].each { |thread| BoundedWait.value_of(thread) }
    end

    private

    def accept
      loop { @threads.add(Thread.new(@listener.accept) { |client| serve(client) }) }
    rescue IOError
      nil # closed
    end

    def serve(client)
      head = client.gets("\r\n\r\n") or return
      method, target = head.split(" ", 3)
      path, query = target.split("?", 2)
      headers = head.scan(/^([\w-]+): *(.*?)\r$/).to_h { |name, value| ["HTTP_#{name.upcase.tr("-", "_")}", value] }
      env = { "REQUEST_METHOD" => method, "SCRIPT_NAME" => "", "PATH_INFO" => path, "QUERY_STRING" => query.to_s,
              **headers }
      status, fields, body = @application.call(env)
      lines = ["HTTP/1.1 #{status} -", "connection: close", *fields.map { |name, value| "#{name}: #{value}" }]
      client << lines.join("\r\n") << "\r\n\r\n"
      body.each { |part| client << part }
    rescue Errno::EPIPE, Errno::ECONNRESET
      nil # the browser has gone to another page
    ensure
      client.close
    end
  end
end
