# frozen_string_literal: true

require "test_helper"
require "coppice/guest/streams"

# The standard streams of a guest, in a process of its own.
class GuestStreamsTest < Coppice::TestCase
  # What a guest writes to standard output and standard error that is given "typed". The block comes first, in its
  # process, and gets the client's standard output.
  def shown
    pipes = Array.new(3) { IO.pipe }
    (input, typed), (out, output), (err, error) = pipes
    pid = fork do
      typed.close # this copy would keep the input open
      yield output
      $stderr = StringIO.new # the server's
      play(Coppice::Guest::Streams.new(input, output, error))
      exit!
    end
    typed.write("typed")
    [input, typed, output, error].each(&:close)
    BoundedWait.status_of(pid)
    [out.read, err.read]
  ensure
    pipes.flatten.each(&:close)
  end

  def play(streams)
    streams.take(terminal: false)
    $stdout.write($stdin.read.upcase)
    $stderr.write("an error")
  rescue IOError => error
    $stderr.write("failed: #{error.message}")
  ensure
    [$stdout, $stderr].each(&:flush)
  end

  test "standard streams that the application has closed are those of the client all the same" do
    [[], [STDIN], [STDIN, STDOUT, STDERR]].each do |closed|
      texts = shown { closed.each(&:close) }

      assert_equal ["TYPED", "an error"], texts, closed.inspect
    end
  end

  test "what fails is shown on the client's standard error" do
    assert_equal ["", "failed: closed stream"], shown(&:close)
  end
end
