# frozen_string_literal: true

require "test_helper"
require "json"
require_relative "../support/server"

# Who collects garbage for a refork: the worker whose heap it is, not the mold that is its copy.
class PromotedHeapTest < Coppice::TestCase
  # Tells how many objects were young, and how many major collections there had been, before each fork that led to the
  # worker which answers.
  APP = <<~RUBY
    require "json"
    KEPT = []
    FORKS = []
    run(lambda do |_env|
      KEPT.concat(Array.new(200_000) { Object.new })
      [200, {}, [JSON.generate(FORKS)]]
    end)
  RUBY

  CONFIG = <<~RUBY
    worker_processes 1
    before_fork { FORKS << [GC.stat(:heap_live_slots) - GC.stat(:old_objects), GC.stat(:major_gc_count)] }
  RUBY

  test "what a worker keeps is old when it forks a mold, which collects nothing" do
    Server.open(app: APP, config: CONFIG) do |server|
      server.get
      server.signal(:USR2)
      server.wait { server.settled?(1) }
      of_worker, of_mold = JSON.parse(server.get.body).last(2)

      assert_operator of_worker.first, :<, 100_000 # the server itself has some
      assert_equal of_worker.last, of_mold.last
    end
  end
end
