# frozen_string_literal: true

require "test_helper"
require "coppice/single"

# What a server of one process knows about its stop, which decides whether it starts again.
class SingleStopsTest < Coppice::TestCase
  test "one that is stopped for a restart is not stopped for good" do
    refute(stopped_for_good? { nil })
  end

  test "a signal and the program stop it for good, although it is being stopped for a restart" do
    %i[TERM QUIT HUP INT].each { |name| assert(stopped_for_good? { Process.kill(name, Process.pid) }, name) }
    assert(stopped_for_good?(&:stop))
  end

  private

  # Of one that is stopped for a restart when it is ready to serve, and then by the block.
  def stopped_for_good?
    with_tmpdir do |folder|
      pid = fork do
        single = single_in(folder)
        Coppice.at_fork(after_in_worker: -> { single.stop(restart: true) && yield(single) })
        single.run
        exit!(single.stopped_for_good? ? 0 : 1)
      ensure
        exit!(2)
      end
      status = BoundedWait.status_of(pid).exitstatus
      refute_equal 2, status
      status.zero?
    end
  end

  def single_in(folder)
    listen = [Coppice::Listeners::Address.parse(File.join(folder, "socket"))]
    Coppice::Single.new(Coppice::Config::Settings.new(values: { listen: listen }), app: ->(_env) {},
      log: Coppice::Log.new(StringIO.new, role: :single))
  end
end
