# frozen_string_literal: true

require "socket"
require_relative "bounded_wait"

module Coppice
  # Serves a Rack application to a browser in a test: GET and POST without bodies, one connection a request, threads.
  # Nothing of Coppice's own engine, so that the dashboard is tested beside any server.
  class DashboardServer
    attr_reader :port

    # mounted_at: the path below which the application is, as Rails mounts it.
    def initialize(application, port: 0, mounted_at: "")
      @application = application
      @mounted_at = mounted_at
      @listener = TCPServer.new("127.0.0.1", port)
      @port = @listener.addr[1]
      @threads = ThreadGroup.new
      @acceptor = Thread.new { accept }
    end

    def address = "http://127.0.0.1:#{port}#{@mounted_at}"

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
      env = { "REQUEST_METHOD" => method, "REQUEST_URI" => target, "QUERY_STRING" => query.to_s, **headers }
      status, fields, body = @application.call(env.merge(place(path)))
      lines = ["HTTP/1.1 #{status} -", "connection: close", *fields.map { |name, value| "#{name}: #{value}" }]
      client << lines.join("\r\n") << "\r\n\r\n"
      body.each { |part| client << part }
    rescue Errno::EPIPE, Errno::ECONNRESET
      nil # the browser has gone to another page
    ensure
      client.close
    end

    # Beside the mount point there is nothing.
    def place(path)
      return { "SCRIPT_NAME" => "", "PATH_INFO" => "/none" } unless path.start_with?(@mounted_at)

      inner = path.delete_prefix(@mounted_at)
      { "SCRIPT_NAME" => @mounted_at, "PATH_INFO" => inner.empty? ? "/" : inner }
    end
  end
end
