# frozen_string_literal: true

require "test_helper"
require "socket"
require "coppice/monitor/door/control_connection"

module Coppice
  class Monitor
    # One client, with a clock that is turned by hand.
    class ControlConnectionTest < TestCase
      # Answers each line by what the test has set.
      class Commands
        attr_accessor :answer
        attr_reader :words, :caller

        def call(*words, caller:)
          @caller = caller
          @words = words
          answer.respond_to?(:call) ? answer.call : answer
        end
      end

      def setup
        @client, server = UNIXSocket.pair
        @commands = Commands.new
        @connection = ControlConnection.new(server, @commands, 0.0, peer: nil)
      end

      def teardown = [@client, @connection].each(&:close)

      def pending(**values) = ControlConnection::Pending.new(**{ lines: ["wait"], poll: -> {} }, **values)

      test "news is said as it comes, before the outcome" do
        news = [["booting"], [], ["canary"]]
        @commands.answer = pending(news: -> { news.shift }, poll: -> { ["committed"] if news.empty? })
        @client.write("roll\n")

        assert_equal ["wait\nbooting\n", "", "canary\ncommitted\nok\n"],
          (Array.new(3) { |turn| @connection.advance(turn.to_f).then { heard } })
      end

      # What the client can read at this moment.
      def heard
        text = @client.read_nonblock(1_000_000, exception: false)
        text == :wait_readable ? "" : text
      end

      # Of an answer that does not fit into the socket.
      def last_line_of_long_answer
        @client.write("backtrace 0\n")
        text = +""
        @connection.advance(1.0)
        until @connection.closed?
          text << heard
          @connection.advance(1.0)
        end
        (text << BoundedWait.read(@client)).lines.last.chomp
      end

      test "a line that comes in pieces is obeyed once, and the rest is dropped" do
        @commands.answer = ["done"]
        @client.write("workers ")
        @connection.advance(1.0)
        assert_nil @commands.words
        @client.write("8\nstop\n")
        @connection.advance(2.0)

        assert_equal %w[workers 8], @commands.words
        assert_equal "done\nok\n", heard
        assert_predicate @connection, :closed?
      end

      test "a command that takes more lines gets them, and learns that its client has gone" do
        heard = []
        @commands.answer = pending(input: ->(line) { heard << line }, left: -> { heard << :left })
        @client.write("run\nsignal INT\nsig")
        @connection.advance(1.0)
        assert_equal ["signal INT\n"], heard
        @client.write("nal HUP\n")
        @connection.advance(2.0)
        assert_equal ["signal INT\n", "signal HUP\n"], heard
        assert_predicate @connection, :session?
        @client.close
        @connection.advance(3.0)

        assert_equal :left, heard.last
        assert_predicate @connection, :closed?
      end

      test "descriptors reach the command, and are closed afterwards" do
        inode = nil
        @commands.answer = lambda do
          inode = @commands.caller.descriptors.first.stat.ino
          ["done"]
        end
        IO.pipe do |reader, writer|
          @client.sendmsg("run\n", 0, nil, Socket::AncillaryData.unix_rights(writer))
          writer.close
          @connection.advance(1.0)

          assert_equal reader.stat.ino, inode
          assert_nil reader.read(1)
        end
      end

      test "who sends more descriptors than any command takes is dropped, and all are closed" do
        IO.pipe do |reader, writer|
          3.times { @client.sendmsg("x", 0, nil, Socket::AncillaryData.unix_rights(*[writer] * 3)) }
          writer.close
          3.times { @connection.advance(1.0) }

          assert_predicate @connection, :closed?
          assert_nil reader.read(1)
        end
      end

      test "who sends half a line is dropped when the time is over" do
        @client.write("work")
        @connection.advance(ControlConnection::SECONDS - 0.1)
        refute_predicate @connection, :closed?
        @connection.advance(ControlConnection::SECONDS.to_f)

        assert_predicate @connection, :closed?
      end

      test "a pending answer is said once it is known, and who waits for it is not dropped" do
        lines = nil
        @commands.answer = pending(poll: -> { lines })
        @client.write("refork\n")
        @connection.advance(1.0)
        @connection.advance(100.0)
        assert_equal "wait\n", heard
        lines = ["generation 1"]
        @connection.advance(101.0)

        assert_equal "generation 1\nok\n", heard
        assert_predicate @connection, :closed?
      end

      test "a client that has only closed its sending side gets the answer" do
        lines = nil
        @commands.answer = pending(poll: -> { lines })
        @client.write("refork\n")
        @client.close_write
        3.times { @connection.advance(1.0) }
        lines = ["generation 1"]
        @connection.advance(2.0)

        assert_equal "wait\ngeneration 1\nok\n", heard
      end

      test "a client that is gone is not kept until its answer is known" do
        left = false
        @commands.answer = pending(left: -> { left = true })
        @client.write("refork\n")
        @connection.advance(1.0)
        assert_equal "wait\n", heard
        @client.close
        @connection.advance(1.0)

        assert_predicate @connection, :closed?
        assert left
      end

      test "a pending answer that is late, and what it waited for is let go" do
        reader, writer = IO.pipe
        @commands.answer = pending(seconds: 3, late: -> { raise Error, "no\nanswer" }, reader: reader)
        @client.write("backtrace 0\n")
        @connection.advance(1.0)
        assert_includes @connection.readers, reader
        @connection.advance(4.0)

        assert_equal "wait\nerror: no answer\n", heard
        assert_predicate reader, :closed?
      ensure
        [reader, writer].each(&:close)
      end

      test "no line of an answer looks like the last one" do
        @commands.answer = ["ok", "error: none", "end"]
        @client.write("x\n")
        @connection.advance(1.0)

        assert_equal " ok\n error: none\nend\nok\n", heard
      end

      test "an answer that is not read is kept for a while, then the client is dropped" do
        @commands.answer = ["x" * 1_000_000]
        @client.write("x\n")
        @connection.advance(1.0)
        assert_equal 1, @connection.writers.size
        @connection.advance(0.9 + ControlConnection::SECONDS)
        refute_predicate @connection, :closed?
        @connection.advance(1.0 + ControlConnection::SECONDS)

        assert_predicate @connection, :closed?
      end

      test "an answer beyond the limit is an error" do
        @commands.answer = ["x" * 1_100_000]
        @client.write("x\n")
        @connection.advance(1.0)

        assert_equal "error: the answer is too long\n", heard
      end

      test "the last line has room where the others have filled the answer" do
        @commands.answer = ["x" * (ControlConnection::MAX_ANSWER - 1)]
        assert_equal "ok", last_line_of_long_answer
      end

      test "what was said before the limit is kept, and the error still has room" do
        @commands.answer = ["x" * (ControlConnection::MAX_ANSWER - 1), "too much"]
        assert_equal "error: the answer is too long", last_line_of_long_answer
      end

      test "an error may quote bytes that are no text" do
        @commands.answer = -> { raise Error, "no directory \xFF\nhere" }
        @client.write("roll /%FF\n")
        @connection.advance(1.0)

        assert_equal "error: no directory \xFF here\n".b, heard.b
      end

      test "the end of what a pending answer was read from wakes nobody while the answer is written" do
        reader, writer = IO.pipe
        @commands.answer = pending(poll: -> { ["x" * 1_000_000] }, reader: reader)
        @client.write("backtrace 0\n")
        @connection.advance(1.0)

        refute_predicate @connection, :closed?
        refute_includes @connection.readers, reader
      ensure
        [reader, writer].each(&:close)
      end

      test "a client that has left costs nothing" do
        @commands.answer = pending
        @client.write("stop\n")
        @client.close
        @connection.advance(1.0)

        assert_predicate @connection, :closed?
      end

      # The application shares memory with the board that `status` reads.
      test "a mistake of a command costs an answer, not the monitor" do
        @commands.answer = -> { [].fetch(7) }
        @client.write("status\n")
        @connection.advance(1.0)

        assert_match(/\Aerror: index 7 outside .* \(IndexError\)\n\z/, heard)
      end
    end
  end
end
