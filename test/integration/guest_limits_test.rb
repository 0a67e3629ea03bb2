# frozen_string_literal: true

# lane: soak -- waits for guests that are over their time

require "test_helper"
require "json"
require_relative "../support/guest_commands"

# How many guests there may be, for how long, and what ends them.
class GuestLimitsTest < Coppice::TestCase
  include GuestCommands

  soak_test "when the client is killed its guest gets HUP, and KILL if that does not help" do
    serve do |server|
      code = "trap(:HUP) { File.write('hung_up', '') }; File.write('trapped', ''); loop { sleep }"
      running(server, code, chdir: server.folder) do |client, row|
        child = row.pid
        server.wait { File.exist?(server.path("trapped")) }
        Process.kill(:KILL, client)
        server.wait { File.exist?(server.path("hung_up")) }
        no_guest(server)

        refute_path_exists "/proc/#{child}"
        assert_equal 1, exits(server).fetch("client_gone")
      end
    end
  end

  test "five guests outlive two reforks" do
    serve("guests 5") do |server|
      guests = Array.new(5) do
        IO.popen([{ "RUBYOPT" => nil, "RACK_ENV" => nil }, *command(server, "-e", "gets; puts 'still here'")], "r+")
      end
      server.wait { server.rows(:guest).count(&:ready?) == 5 }
      [1, 2].each do |generation|
        server.get("/")
        server.signal(:USR2)
        server.wait { server.settled?(generation) }
      end
      guests.each { |client| client.puts }

      assert_equal ["still here\n"] * 5, guests.map(&:read)
      assert(guests.all? { |client| client.close || $?.success? })
    end
  end

  test "no more guests than the limit" do
    serve("guests 1") do |server|
      running(server, "sleep") do
        _, error, status = guest(server, "-e", "1")

        assert_equal 1, status.exitstatus
        assert_match(/there are 1 guests already/, error)
      end
    end
  end

  test "none in production, unless they are asked for" do
    Server.open(app: APP, config: "worker_processes 1") do |server|
      _, error, status = guest(server, "-e", "1")

      assert_equal 1, status.exitstatus
      assert_match(/\Acoppice: this server allows no guests/, error)
    end
  end

  test "a guest over its time gets HUP" do
    serve("guest_timeout 0.2") do |server|
      *, status = guest(server, "-e", "sleep")

      assert_equal Signal.list.fetch("HUP"), status.termsig
      assert_equal 1, exits(server).fetch("guest_timeout")
    end
  end

  # It writes without Ruby's lock for a stream: a signal may come before the first line's `puts` has given that back.
  test "a stop tells guests, and waits for them" do
    serve do |server|
      code = "trap(:HUP) { $stdout.syswrite(%(hung up\n)); gets; exit 4 }; $stdout.syswrite(%(ready\n)); sleep"
      output, input, = stream(server, code)

      assert_equal "ready\n", BoundedWait.readable(output).gets
      server.signal(:TERM)

      assert_equal "hung up\n", BoundedWait.readable(output).gets
      refute_predicate server, :ended?
      input.puts
      assert_equal 4, BoundedWait.status_of(@client).exitstatus
      assert_predicate server.wait_for_end, :success?
    end
  end

  # The other program says that it runs: a signal right before an exec is lost with the Ruby that has received it.
  test "when the monitor is killed guests get HUP, and their clients say so" do
    serve do |server|
      output, _, error = stream(server, "exec('sh', '-c', 'echo $$; exec tail -f /dev/null')")
      child = Integer(BoundedWait.readable(output).gets, 10)
      Process.kill(:KILL, server.pid)

      assert_match(/the server has closed the connection/, BoundedWait.read(error))
      assert_equal 1, BoundedWait.status_of(@client).exitstatus
      eventually { !File.exist?("/proc/#{child}") || state_of(child) == "Z" }
    end
  end

  test "a guest has less of the processor, and is the first to go when memory runs out" do
    serve do |server|
      code = "print [Process.getpriority(Process::PRIO_PROCESS, 0), File.read('/proc/self/oom_score_adj').to_i].inspect"
      nice, score = JSON.parse(guest(server, "-e", code).first)

      assert_equal Process.getpriority(Process::PRIO_PROCESS, server.pid) + 5, nice
      assert_equal [File.read("/proc/#{server.pid}/oom_score_adj").to_i + 500, 1000].min, score
    end
  end

  private

  def exits(server)
    JSON.parse(Open3.capture2({ "RUBYOPT" => nil }, RbConfig.ruby, Server::EXECUTABLE, "status", "--json", "--pid",
      server.pid.to_s).first).fetch("exits").fetch("guest")
  end

  def state_of(pid)
    File.read("/proc/#{pid}/stat").rpartition(")").last.split.first
  rescue Errno::ENOENT, Errno::ESRCH
    "Z"
  end
end
