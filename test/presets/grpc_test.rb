# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class GrpcPresetTest < PresetTestCase
    # One worker in two makes calls, unless all do.
    APP = <<~'RUBY'
      require GRPC_LIBRARY
      def echo(token)
        text = ->(bytes) { bytes }
        $stub ||= GRPC::ClientStub.new(ENV.fetch("ECHO"), :this_channel_is_insecure)
        $stub.request_response("/Echo/Echo", token, text, text, deadline: Time.now + 50)
      end
      run(lambda do |env|
        worker = env["coppice.worker"]
        token = env["QUERY_STRING"]
        answer = EVERY_WORKER || worker.nr == 1 ? echo(token) : "#{token} -"
        [200, {}, ["#{answer} #{Process.pid}"]]
      end)
    RUBY

    # Answers the text with the name of the connection, until its standard input ends.
    SERVER = <<~'RUBY'
      require "grpc"
      Text = Struct.new(:bytes) do
        def self.encode(text) = text.bytes
        def self.decode(bytes) = new(bytes)
      end
      class Echo
        include GRPC::GenericService
        self.marshal_class_method = :encode
        self.unmarshal_class_method = :decode
        self.service_name = "Echo"
        rpc :Echo, Text, Text
        def echo(text, call) = Text.new("#{text.bytes} #{call.peer}")
      end
      server = GRPC::RpcServer.new
      $stdout.puts(server.add_http2_port("127.0.0.1:0", :this_port_is_insecure))
      $stdout.flush
      server.handle(Echo.new)
      Thread.new { server.run }
      $stdin.read
      server.stop
    RUBY

    test "the worker that has made a call is never promoted" do
      with_server { |env| assert_survives(app("grpc", every_worker: false), env: env) }
    end

    # The stack of the main thread might keep the stub.
    test "the worker that has made a call is never promoted, also once its stub is garbage" do
      loaded = APP.sub("$stub ||=", "$stub =").sub("GRPC_LIBRARY", '"grpc"').sub(/^run.*/m, "")
      work = 'Thread.new { echo("token") && $stub = nil }.join && GC.start'
      with_server { |env| assert_never_promoted(loaded, work, env: env) }
    end

    test "without the preset a call fails in a copy" do
      with_server do |env|
        assert_fails_without(:grpc, app("grpc", every_worker: true), with: /used before and after forking/, env: env)
      end
    end

    test "with grpc_fork_safety each process has a connection of its own" do
      with_server { |env| assert_survives(app("grpc_fork_safety", every_worker: true), env: env) }
    end

    private

    def app(library, every_worker:)
      "GRPC_LIBRARY, EVERY_WORKER = #{library.inspect}, #{every_worker}\n#{APP}"
    end

    def with_server
      IO.popen([environment, "bundle", "exec", "ruby", "-e", SERVER], "r+") do |server|
        yield({ "ECHO" => "127.0.0.1:#{Integer(server.gets)}" })
      end
    end
  end
end
