# frozen_string_literal: true

require "test_helper"
require "coppice/guest/exit"

# What has happened by the time that a guest has ended.
class GuestExitTest < Coppice::TestCase
  # Ends as a guest whose program is the block.
  def guest(&program)
    pid = fork do
      at_exit { $stderr.puts("a handler of the mold") }
      Coppice::Guest::Exit.take_over(&program)
      exit
    end
    BoundedWait.status_of(pid)
  end

  # What the user sees of the program, and its exit status.
  def shown
    reader, writer = IO.pipe
    status = guest do
      $stderr.reopen(writer)
      yield
    end
    writer.close
    [reader.read, status.exitstatus]
  ensure
    reader.close
  end

  test "the program's error is shown once, whatever its handlers raise" do
    { 4 => -> { exit 4 }, 1 => -> { raise "in the handler", cause: nil } }.each do |expected, handler|
      text, status = shown do
        at_exit(&handler)
        raise "lost"
      end

      assert_equal [expected, 1], [status, text.scan(/: lost \(RuntimeError\)$/).size], text
    end
    text, status = shown { at_exit { raise "in the handler" } }

    assert_equal [1, 1], [status, text.scan("in the handler (RuntimeError)").size], text
  end

  test "an error without a frame of the program is shown without one of the server" do
    text, status = shown do
      raise SyntaxError, "script.rb:1: no such word", ["#{Coppice::Guest::Exit::OURS}/guest/program.rb:49:in 'load'"]
    end

    assert_equal ["script.rb:1: no such word (SyntaxError)\n", 1], [text, status]
  end

  test "the causes of the program's error are shown without frames of the server" do
    text, = shown do
      raise ArgumentError, "first", ["script.rb:1:in 'read'", "#{Coppice::Guest::Exit::OURS}/guest.rb:9:in 'one'"]
    rescue ArgumentError
      begin
        raise IOError, "second", ["script.rb:2:in 'open'", "#{Coppice::Guest::Exit::OURS}/guest.rb:9:in 'two'"]
      rescue IOError
        raise "third", cause: $!
      end
    end

    assert_equal %w[third second first], text.scan(/(\w+) \(\w+\)$/).flatten
    refute_includes text, Coppice::Guest::Exit::OURS
  end

  test "a cause of which no frame is the program's keeps them all" do
    text, = shown do
      raise IOError, "inner", ["#{Coppice::Guest::Exit::OURS}/http/stream.rb:3:in 'gets'", "script.rb:3:in 'read'"]
    rescue IOError
      raise "outer"
    end

    assert_match(%r{/http/stream.rb:3:in 'gets': inner \(IOError\)\n\s+from script.rb:3:in 'read'\n\z}, text)
  end

  # Errors of libraries name an error of the service that they have asked, or themselves.
  class ServiceError < StandardError
    attr_accessor :cause
  end

  class UnfinishedError < StandardError
    def message = raise(NotImplementedError)
  end

  test "an error with a cause of its own kind, or with a message that fails, ends the program like any" do
    [:timeout, :itself].each do |cause|
      text, status = shown do
        error = ServiceError.new("no answer")
        error.cause = cause == :itself ? error : cause
        raise error
      end

      assert_match(/no answer \(GuestExitTest::ServiceError\)$/, text)
      refute_includes text, "a handler of the mold"
      assert_equal 1, status
    end
    text, status = shown { raise UnfinishedError, "as raised" }

    assert_match(/\A#{__FILE__}:\d+:in .*: as raised \(GuestExitTest::UnfinishedError\)\n\z/, text)
    assert_equal 1, status
  end

  def with_a_thread(ensured)
    begun = Thread::Queue.new
    Thread.new do
      begun << true
      Thread.stop
    ensure
      ensured.call
    end
    begun.pop
  end

  test "what the program's files hold back is written, and the ensure of its threads runs" do
    with_tmpdir do |folder|
      guest do
        @kept = File.open("#{folder}/kept", "w")
        @kept.write("row")
        with_a_thread(-> { File.write("#{folder}/ensured", "ran") && raise("nobody sees it") })
      end

      assert_equal(%w[row ran], %w[kept ensured].map { |name| File.read("#{folder}/#{name}") })
    end
  end

  test "what files held back before the fork is not written twice" do
    with_tmpdir do |folder|
      File.open("#{folder}/log", "w") do |log|
        log.write("line")
        guest { log }

        assert_equal "", File.read("#{folder}/log")
      end

      assert_equal "line", File.read("#{folder}/log")
    end
  end
end
