# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/http_harness"

module Coppice
  # The rack.input of bodies that are too large for memory.
  class InputFileTest < TestCase
    test "a long body is in a file without a name" do
      body = "0123456789abcdef" * 1000
      with_input(post(body), client_body_buffer_size: 1000) do |input|
        assert_kind_of IO, input
        assert_equal [body, body.bytesize], [input.read, input.size]
        input.rewind
        assert_equal "0123", input.read(4)
        assert_equal [0, 0o600], [input.stat.nlink, input.stat.mode & 0o777]
        assert_predicate input, :close_on_exec?
        assert_equal Encoding::BINARY, input.external_encoding
      end
    end

    test "a body has no path, be it in memory or in a file" do
      [1000, 3].each do |memory|
        with_input(post("hello"), client_body_buffer_size: memory) do |input|
          assert_equal [false, false, false], [input.respond_to?(:path), input.respond_to?(:to_path), File === input]
        end
      end
    end

    test "a long body is in a file without a name on a file system that makes only named ones" do
      IO.stub(:sysopen, ->(*) { raise Errno::EOPNOTSUPP }) do
        with_input(post("hello"), client_body_buffer_size: 3) do |input|
          2.times { GC.start }
          assert_equal ["hello", 0, Encoding::BINARY], [input.read, input.stat.nlink, input.external_encoding]
          assert_predicate input, :close_on_exec?
        end
      end
    end

    test "an input whose descriptor the application has closed costs no worker" do
      harness = HttpHarness.new(client_body_buffer_size: 10) do |env|
        IO.for_fd(env["rack.input"].fileno).close
        [200, {}, ["kept"]]
      end

      assert_equal "kept", harness.serve(post("x" * 1000)).body
    end

    private

    def post(body) = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: #{body.bytesize}\r\n\r\n#{body}"

    def with_input(request, **settings)
      harness = HttpHarness.new(**settings) { |env| yield(env["rack.input"], env) && [200, {}, []] || [200, {}, []] }
      harness.serve(request)
      assert_empty harness.log.at(:error)
    end
  end
end
