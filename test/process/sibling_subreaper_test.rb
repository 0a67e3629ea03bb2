# frozen_string_literal: true

require "test_helper"
require_relative "../support/sibling_forking"

# Forks of a process that is a subreaper itself, so that the kernel would give it the siblings.
class SiblingSubreaperTest < Coppice::TestCase
  include SiblingForking

  # What the block writes in a child that is a subreaper.
  def in_subreaper
    in_child do
      Coppice::OS.become_subreaper
      yield
    end.first
  end

  test "the sibling of an application that is a subreaper is the monitor's child, and the application a subreaper" do
    text = in_subreaper do
      sibling_ended, held_by_sibling = IO.pipe
      forking.call(announce: ->(_) {}) do
        @writer.puts("parent #{Process.ppid}")
        exit!(0)
      end
      held_by_sibling.close
      sibling_ended.read # else it might get another parent before it looks
      @writer.puts("subreaper #{Coppice::OS.subreaper?}")
    end
    BoundedWait.status_of(-1)

    assert_equal ["parent #{Process.pid}", "subreaper true"], text.lines(chomp: true).sort
  end

  test "a caller that adopts is the parent of the sibling" do
    text = in_subreaper do
      forking(adopts: true).call(announce: ->(pid) { @writer.puts(pid) }) { exit!(7) }
      sibling = Process.wait2.last
      @writer.puts("#{sibling.pid} #{sibling.exitstatus}")
    end
    announced, = text.lines(chomp: true)

    assert_equal "#{announced}\n#{announced} 7\n", text
  end

  test "an application that is a subreaper is one again when the wait for a fork is interrupted" do
    text = in_subreaper do
      held = Thread.new { @lock.synchronize { sleep } }
      BoundedWait.wait(60, "nobody holds the lock") { held.stop? }
      Thread.new do
        BoundedWait.wait(60, "no fork was begun") { !Coppice::OS.subreaper? }
        Thread.main.raise(Interrupt, "interrupted")
      end
      forking.call(announce: ->(_) {}) { exit!(0) }
    rescue Interrupt => error
      @writer.write("#{error.message}, subreaper #{Coppice::OS.subreaper?}")
    end

    assert_equal "interrupted, subreaper true", text
  end
end
