# frozen_string_literal: true

# lane: soak -- needs many generations

require "test_helper"
require_relative "../support/server"

# A leak that generations hand on, on a real server.
class GrowingBaselineTest < Coppice::TestCase
  # Each request keeps 16 MiB forever.
  LEAK = <<~RUBY
    KEPT = []
    run(lambda do |_env|
      KEPT << ("x" * (16 << 20))
      [200, { "content-type" => "text/plain" }, [KEPT.size.to_s]]
    end)
  RUBY

  # This application is warm at once, rather than after ten minutes.
  CONFIG = <<~RUBY
    worker_processes 1
    cold_boot_after_growth "20%"
    require "coppice/monitor/molds/leak_watch"
    Coppice::Monitor::LeakWatch.send(:remove_const, :WARM_UP)
    Coppice::Monitor::LeakWatch::WARM_UP = 0.1
  RUBY

  # The memory of the mold, once every slot is served by its generation.
  def mold_kib(server, generation)
    server.wait(60, "generation #{generation}") { server.settled?(generation) }
    server.rows(:mold).first.anonymous_kib
  end

  test "molds that grow from generation to generation are followed by one that has booted afresh" do
    Server.open(app: LEAK, config: CONFIG) do |server|
      steps = (1..5).map do |generation|
        server.get
        server.signal(:USR2)
        generation < 5 ? mold_kib(server, generation) : server.wait(60, "the last one") { server.board.generation >= 5 }
      end

      assert_equal steps.first(4).sort, steps.first(4)
      assert_operator mold_kib(server, 6), :<, steps.first
      assert_equal "1", server.get.body
    end
  end
end
