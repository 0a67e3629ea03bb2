# frozen_string_literal: true

require "test_helper"
require "coppice/memory/available_memory"
require "coppice/monitor/workers/worker_count"
require "coppice/os/processors"
require_relative "../support/server"

# WEB_CONCURRENCY=auto, as Rails' template for deployments has it.
class AutoWorkersTest < Coppice::TestCase
  APP = "run ->(_env) { [200, {}, [Coppice::Info.workers_count.to_s]] }"

  test "there are as many workers as processors and memory allow" do
    Server.open(app: APP, env: { "WEB_CONCURRENCY" => "auto" }) do |server|
      mold_kib = server.rows(:mold).first.pss_kib
      wanted = Coppice::Monitor::WorkerCount.new(
        processors: Coppice::OS::Processors.new.count, memory_total_kib: Coppice::Memory::AvailableMemory.new.total_kib
      ).answer(mold_kib: mold_kib).workers

      assert_operator mold_kib, :>, 0
      assert_equal [wanted, wanted.to_s], [server.ready_workers.size, server.get.body]
    end
  end
end
