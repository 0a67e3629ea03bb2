# frozen_string_literal: true

# lane: soak -- many servers; the unit tests show the same on fixed figures

require "test_helper"
require "json"
require "open3"
require "rbconfig"
require_relative "../../support/server"

# `coppice memory`, asked about a real server.
class MemoryCommandTest < Coppice::TestCase
  APP = 'run ->(env) { [200, { "content-type" => "text/plain" }, ["ok"]] }'

  test "each process of the tree, with totals that add up" do
    serve do |server|
      report = JSON.parse(memory(server.pid, "--json"))
      processes = report.fetch("processes")

      roles = processes.map { |process| process.values_at("role", "nr") }
      assert_equal [["monitor", nil], ["mold", nil], ["worker", 0], ["worker", 1]], roles
      assert_equal server.board.rows.map(&:pid).push(server.pid).sort,
        processes.map { |process| process.fetch("pid") }.sort
      assert_equal processes.sum { |process| process.fetch("pss_kib") }, report.dig("total", "pss_kib")
      processes.each do |process|
        assert_in_delta process.fetch("rss_kib"), kinds(process, "rss_kib"), 4096, process.inspect
      end
    end
  end

  # Objects and what they hold, whichever of these kinds so small a heap is taken for.
  test "workers share most of their objects' memory with the mold" do
    serve do |server|
      workers = JSON.parse(memory(server.pid, "--json")).fetch("processes").select do |process|
        process.fetch("role") == "worker"
      end

      workers.each do |worker|
        kinds = worker.fetch("kinds").values_at("gc_heap", "malloc", "other").compact
        shared, own = %w[shared_kib uss_kib].map { |size| kinds.sum { |kind| kind.fetch(size) } }
        assert_operator shared, :>, own, worker.inspect
      end
    end
  end

  test "a table for people" do
    serve do |server|
      table = memory(server.pid)

      assert_match(/^process +pid +requests +RSS +PSS +USS +shared +growth$/, table)
      assert_match(/^worker\[1\] \(gen 0\) +\d+ +0 +\d+\.\d /, table)
      assert_match(/^\d+\.\d MiB in all; sharing saves \d+\.\d MiB of \d+\.\d$/, table)
    end
  end

  test "a picture of each mold and worker" do
    serve do |server|
      picture = server.path("map.svg")

      assert_equal "written: #{picture}\n", memory(server.pid, "--map", picture)
      assert_equal server.board.rows.map(&:pid).sort, File.read(picture).scan(/>pid (\d+):/).flatten.map(&:to_i).sort
      assert_includes File.read(picture), '<path class="private" d="M'
    end
  end

  # Three that watch the same server at once: between two looks each pauses for seconds.
  soak_test "it watches until its reader leaves, an interrupt comes or the server ends; none is an error" do
    serve do |server|
      tired, interrupted, patient = watchers = Array.new(3) { watch(server) }
      [tired, patient].each { |watcher| JSON.parse(BoundedWait.readable(watcher.output).gets) }
      tired.output.close
      first, second = Array.new(2) { JSON.parse(BoundedWait.readable(interrupted.output).gets).keys }

      assert_equal first, second
      Process.kill(:INT, interrupted.waiter.pid)
      server.signal(:QUIT) # and nobody reaps it
      BoundedWait.read(patient.output)

      watchers.each { |watcher| assert_predicate BoundedWait.value_of(watcher.waiter), :success? }
    ensure
      watchers&.each { |watcher| watcher.output.close }
    end
  end

  # waiter: the thread that waits for its end.
  Watcher = Struct.new(:output, :waiter)

  def watch(server)
    input, output, waiter = Open3.popen2e(*command(server.pid, "--watch", "--json"))
    input.close
    Watcher.new(output, waiter)
  end

  test "the pid of a worker leads to its server as well" do
    serve do |server|
      assert_match(/^monitor +#{server.pid} /, memory(server.rows(:worker).first.pid))
    end
  end

  test "without a pid, a server of this user is found" do
    serve do |server|
      output, = Open3.capture2e(*command)

      assert_match(/^(?:monitor)? +#{server.pid} /, output)
    end
  end

  test "of several servers of this user the one that runs in the current directory is meant" do
    serve do |one|
      serve do |other|
        [one, other].each do |server|
          output, = Open3.capture2e(*command, chdir: server.folder)

          assert_match(/^(?:monitor)? +#{server.pid} /, output)
        end
      end
    end
  end

  test "several servers of this user are told apart by address and folder" do
    serve do |one|
      serve do |other|
        output, status = Open3.capture2e(*command)

        assert_equal 1, status.exitstatus
        [one, other].each do |server|
          assert_includes output, "  #{server.pid}  on #{server.socket_path}, runs in #{server.folder}\n"
        end
      end
    end
  end

  private

  def serve(&block) = Server.open(app: APP, config: "worker_processes 2\n", &block)

  def command(*words) = [{ "RUBYOPT" => nil }, RbConfig.ruby, Server::EXECUTABLE, "memory", *words.map(&:to_s)]

  def memory(*words)
    output, status = Open3.capture2e(*command(*words))
    assert_predicate status, :success?, output
    output
  end

  def kinds(process, size) = process.fetch("kinds").each_value.sum { |sum| sum.to_h.fetch(size, 0) }
end
