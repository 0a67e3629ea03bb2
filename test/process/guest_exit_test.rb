# frozen_string_literal: true

require "test_helper"
require "coppice/guest/exit"

# What has happened by the time that a guest has ended.
class GuestExitTest < Coppice::TestCase
  # Ends as a guest whose program is the block.
  def guest
    pid = fork do
      Coppice::Guest::Exit.take_over
      yield
      exit
    end
    BoundedWait.status_of(pid)
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
