# frozen_string_literal: true

require "test_helper"
require "coppice/control/client"

module Coppice
  module Control
    # A client, with the test in the monitor's place.
    class ClientTest < TestCase
      # Yields a client of a server that says this text, in these pieces. Answers the client's line. listening: called
      # with the server's socket.
      def answering(*pieces, listening: ->(_server) {})
        with_tmpdir do |folder|
          server = UNIXServer.new("#{folder}/socket").tap(&listening)
          thread = Thread.new { answer(server, pieces) }
          yield Client.new(path: "#{folder}/socket")
          BoundedWait.value_of(thread)
        ensure
          thread&.kill&.join
          server&.close
        end
      end

      def answer(server, pieces)
        socket = server.accept
        line = socket.gets
        pieces.each { |piece| socket.write(piece) && socket.flush }
        line
      rescue Errno::EPIPE, Errno::ECONNRESET # it has heard enough
        line
      ensure
        socket&.close
      end

      test "the lines but the last one, each as it comes, in whatever pieces" do
        seen = []
        line = answering("one\ntw", "o \xC3", "\xA4\n", "ok", "\n") do |client|
          assert_equal ["one", "two ä"], client.call("workers", "8") { |text| seen << text }
        end

        assert_equal ["workers 8\n", ["one", "two ä"]], [line, seen]
      end

      test "what a terminal would obey is not passed on" do
        answering("a\e[2Jb\xFF\u202e\nok\n") { |client| assert_equal ["a?[2Jb??"], client.call("status") }
      end

      test "an error, and an answer that breaks off" do
        answering("error: no\n") do |client|
          assert_equal "no", assert_raises(Error) { client.call("refork") }.message
        end
        answering("half") do |client|
          assert_equal "the server has closed the connection without an answer",
            assert_raises(Error) { client.call("refork") }.message
        end
      end

      test "an answer without end" do
        answering(*["x" * 1_000_000] * 5) do |client|
          assert_equal "the answer is too long", assert_raises(Error) { client.call("refork") }.message
        end
      end

      NOBODY = 65_534

      # The kernel shows clients the user that has called listen(2) last.
      def listen_as_nobody(server)
        Process::Sys.seteuid(NOBODY)
        server.listen(1)
      ensure
        Process::Sys.seteuid(0)
      end

      test "root may command the server of another user" do
        skip "only root can become another user" unless Process.euid.zero?

        answering("ok\n", listening: method(:listen_as_nobody)) do |client|
          assert_equal NOBODY, client.converse("status") { |_call, socket| Endpoint.peer(socket).uid }
        end
      end

      test "what is no verb, and wrong words, are not even sent" do
        client = Client.new(path: "/no/socket")

        assert_equal "unknown verb fork", assert_raises(UsageError) { client.call("fork") }.message
        assert_equal "usage: recycle NR", assert_raises(UsageError) { client.call("recycle") }.message
      end

      test "a path that leads nowhere, and one that cannot be" do
        assert_equal "there is no control socket /no/socket",
          assert_raises(Error) { Client.new(path: "/no/socket").call("status") }.message
        assert_raises(UsageError) { Client.new(path: "/#{'x' * 200}") }
      end

      test "a path through a file, an empty one, and one of a socket of another kind" do
        with_tmpdir do |folder|
          datagrams = Socket.new(:UNIX, :DGRAM).tap { |socket| socket.bind(Addrinfo.unix("#{folder}/log")) }
          ["#{__FILE__}/x", "", "#{folder}/log"].each do |path|
            assert_equal "there is no control socket #{path}",
              assert_raises(Error) { Client.new(path: path).call("status") }.message
          end
        ensure
          datagrams&.close
        end
      end
    end
  end
end
