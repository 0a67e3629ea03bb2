# frozen_string_literal: true

require "test_helper"
require_relative "../support/server"

# A rackup file, loaded and served with the Rack that is installed, in development, where Rack::Lint is in use.
class RackTest < Coppice::TestCase
  APP = <<~'RUBY'
    use Rack::Runtime
    map("/hijacked") do
      run(lambda do |env|
        io = env["rack.hijack"].call
        io.write("mine")
        io.close
        [200, {}, []]
      end)
    end
    map("/offence") { run ->(_env) { [200, { "content-type" => 5 }, []] } }
    run ->(env) { [200, { "content-type" => "text/plain" }, ["#{Rack.release} #{env["rack.input"].read}"]] }
  RUBY

  test "middleware, maps and the application of a rackup file" do
    Server.open(app: APP, config: "worker_processes 1", env: { "RACK_ENV" => "development" }) do |server|
      answer = server.request("POST", "/", { "Content-Type" => "text/plain" }, "sent")

      assert_match(/\b#{Gem.loaded_specs.fetch('rack').version} sent\b/, answer.body)
      assert answer.headers["x-runtime"]
      assert_equal "mine", raw(server, "/hijacked")
      assert_equal 500, server.get("/offence").status
      assert_equal 200, server.get("/").status
    end
  end

  test "a rackup file with a line of options for the server is loaded, and its options hold" do
    app = "# first\n#\\ --worker-max-requests 77\nrun ->(_env) { [200, {}, [__LINE__.to_s]] }\n__END__\nno Ruby"
    config = 'after_worker_ready { |server, _worker| File.write("limit", server.worker_max_requests) }'
    Server.open(app: app, config: config) do |server|
      assert_equal ["3", "77"], [server.get.body, File.read(server.path("limit"))]
    end
  end

  test "Rack::Lint is in use in development, except for Rails" do
    watched = <<~'RUBY'
      run ->(_env) { [caller.grep(%r{rack/lint}).any? ? 202 : 200, { "content-type" => "text/plain" }, ["one"]] }
    RUBY
    rails = "module Rails\n  def self.application = %s\nend\n"
    apps = { watched => 202, format(rails, ":mine") + watched => 200, format(rails, "nil") + watched => 202 }
    apps.each do |app, status|
      Server.open(app: app, env: { "RACK_ENV" => "development" }) { |server| assert_equal status, server.get.status }
    end
    Server.open(app: watched) { |server| assert_equal 200, server.get.status }
  end

  private

  # All bytes that the server sends, HTTP or not.
  def raw(server, path)
    socket = server.connect
    socket.write("GET #{path} HTTP/1.1\r\nHost: test\r\n\r\n")
    BoundedWait.read(socket)
  ensure
    socket.close
  end
end
