# frozen_string_literal: true

require "test_helper"
require "coppice/memory/rollup"
require_relative "../support/server"

# What the processes of an idle server have put down of their memory, once all of them share it. Its service grows after
# it is ready.
class SettledMemoryTest < Coppice::TestCase
  # It keeps 48 MiB, which nobody writes to.
  APP = <<~RUBY
    KEPT = Array.new(48) { "x" * (1 << 20) }
    run ->(_env) { [200, {}, []] }
  RUBY

  CONFIG = <<~RUBY
    worker_processes 4
    service("growing") do
      kept = "x" * (64 << 20)
      sleep
      kept
    end
  RUBY

  def family(server) = %i[mold worker service].flat_map { |role| server.rows(role) }

  # Whether the process claims neither more than twice nor less than half of what the kernel says.
  def near?(row)
    real_kib = Coppice::Memory::Rollup.of(row.pid).pss
    row.pss_kib.between?(real_kib / 2, real_kib * 2)
  rescue SystemCallError # it exits
    false
  end

  def wait_for(server, generation)
    server.wait do
      rows = family(server)
      server.settled?(generation) && rows.size == 6 && rows.all? { |row| row.generation == generation && near?(row) }
    end
  end

  def claimed_kib(server) = family(server).sum(&:pss_kib)
  def real_kib(server) = family(server).sum { |row| Coppice::Memory::Rollup.of(row.pid).pss }

  test "shared memory counts once in the sum, also after a refork, though nobody serves" do
    Server.open(app: APP, config: CONFIG) do |server|
      wait_for(server, 0)

      assert_operator claimed_kib(server), :<, 1.5 * real_kib(server)
      server.get
      server.signal(:USR2)
      wait_for(server, 1)

      assert_operator claimed_kib(server), :<, 1.5 * real_kib(server)
    end
  end
end
