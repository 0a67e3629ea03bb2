# frozen_string_literal: true

require "test_helper"
require "coppice/os/process_stat"
require "digest"
require "coppice/stats"
require_relative "../support/guest_commands"
require_relative "../support/process_descriptors"

# Programs in forks of the warm application, without a terminal.
class GuestsTest < Coppice::TestCase
  include GuestCommands

  test "code, a script and its arguments run in the application; the exit status is theirs" do
    share do |server|
      script = write(server, "script.rb", "p ARGV, __FILE__ == $0, WARM\nexit 7\n")
      output, error, status = guest(server, "-e", "p WARM, ARGV, $0", "a", "b c", "--pid", "\xFF")

      assert_equal ["\"the application's\"\n[\"a\", \"b c\", \"--pid\", \"\\xFF\"]\n\"-e\"\n", "", 0],
        [output, error, status.exitstatus]
      assert_equal ["[\"--flag\"]\ntrue\n\"the application's\"\n", 7],
        guest(server, script, "--flag").then { |out, _, ended| [out, ended.exitstatus] }
    end
  end

  test "bin/rake runs tasks in the application" do
    share do |server|
      Dir.mkdir(server.path("bin"))
      write(server, "bin/rake", "#!/usr/bin/env ruby\nrequire 'rake'\nRake.application.run\n", 0o755)
      write(server, "Rakefile", "task(:print) { puts WARM }\ntask(:fail) { exit 3 }\n")

      assert_equal "the application's\n", guest(server, "rake", "print", chdir: server.folder).first
      assert_equal 3, guest(server, "bin/rake", "fail", chdir: server.folder).last.exitstatus
    end
  end

  test "the server's row of a guest says what it runs, and is free afterwards" do
    share do |server|
      running(server, "sleep") do |_client, row|
        assert_equal "-e sleep", row.request
        assert_equal server.pid, parent_of(row.pid)
        server.wait { unix_sockets(row.pid).empty? } # its channel is closed once it is ready
        assert_includes status_page(server), "-e sleep for"
      end

      no_guest(server)
    end
  end

  # Until the guest has given itself this name. Before that its title shows the code that it runs, where the name must
  # stand in two parts.
  def wait_for_title(server, row, name)
    server.wait { File.read("/proc/#{row.pid}/cmdline").include?(name) }
  end

  test "for whom it runs, how much memory it has taken since and how much longer it may is in the stats" do
    serve("guest_timeout 600") do |server|
      running(server, "$kept = 'x' * 20_000_000; $0 = 'tak' 'en'; sleep") do |client, row|
        wait_for_title(server, row, "taken")
        shown = [false, true].map do |measured|
          stats = Coppice::Stats.new(server.board, measure_guests: measured).to_h
          stats[:processes].find { |process| process[:role] == "guest" }
        end

        assert_equal [Process.euid, client], shown.last.values_at(:client_uid, :client_pid)
        assert_includes 0..600, shown.last[:time_left]
        assert_operator shown.last[:private] - shown.first[:private], :>=, 19_000_000
        assert_nil Coppice::Stats.new(server.board).to_h[:processes].first[:client_uid]
      end
    end
  end

  test "a client that may live for long keeps nothing of RubyGems" do
    share do |server|
      words = [RbConfig.ruby, Server::EXECUTABLE, "console", "--pid", server.pid.to_s]
      IO.popen([{ "RUBYOPT" => nil, "RACK_ENV" => nil }, *words], "r+") do |client|
        server.wait { server.rows(:guest).any?(&:ready?) }

        assert_includes File.read("/proc/#{client.pid}/cmdline"), "--disable=gems"
        client.close_write
        BoundedWait.read(client)
      end
      assert_predicate $?, :success?
    end
  end

  test "directory, umask and environment are the client's, but for names that stay the server's" do
    serve(env: { "ONLY_OF_THE_SERVER" => "1", "GEM_SPEC_CACHE" => "/server" }) do |server|
      code = "print [Dir.pwd, File.umask, ENV['MINE'], ENV['ONLY_OF_THE_SERVER'], ENV['GEM_SPEC_CACHE'], " \
             "ENV['SET_AT_BOOT'], ENV['RACK_ENV']].inspect"
      env = { "MINE" => "\xFE", "GEM_SPEC_CACHE" => "/client" }
      Dir.mkdir(server.path("elsewhere"))
      output, = guest(server, "-e", code, env: env, chdir: server.path("elsewhere"), umask: 0o027)

      assert_equal [File.realpath(server.path("elsewhere")), 0o027, "\xFE", nil, "/server", "by the application",
                    "production"].inspect, output
    end
  end

  test "another RACK_ENV or RAILS_ENV is refused" do
    share do |server|
      %w[RACK_ENV RAILS_ENV].each do |name|
        output, error, status = guest(server, "-e", "puts 1", env: { name => "test" })

        assert_equal ["", 1], [output, status.exitstatus]
        assert_match(/\Acoppice: this server runs in production: #{name}=test needs a process of its own/, error)
      end
      assert_predicate guest(server, "-e", "", env: { "RAILS_ENV" => "production" }).last, :success?
    end
  end

  test "what is no Ruby script is refused" do
    share do |server|
      write(server, "shell", "#!/bin/sh\necho no\n", 0o755)
      { "shell" => /shell is no Ruby script/, "missing.rb" => /there is no missing.rb/ }.each do |name, complaint|
        output, error, status = guest(server, name, chdir: server.folder)

        assert_equal ["", 1], [output, status.exitstatus]
        assert_match complaint, error
      end
    end
  end

  test "death by a signal is the client's death" do
    share do |server|
      %w[TERM KILL INT ABRT].each do |name|
        *, status = guest(server, "-e", "Process.kill(:#{name}, Process.pid); sleep")

        assert_equal Signal.list.fetch(name), status.termsig, name
      end
    end
  end

  test "signals to the client reach the guest" do
    share do |server|
      %w[INT TERM USR1].each do |name|
        running(server, "trap(:#{name}) { exit 5 }; $0 = 'trap' 'ped'; sleep") do |client, row|
          wait_for_title(server, row, "trapped")
          Process.kill(name, client)

          assert_equal 5, BoundedWait.status_of(client).exitstatus, name
        end
      end
    end
  end

  def spawn_client(server, *words)
    Process.spawn({ "RUBYOPT" => nil, "RACK_ENV" => nil }, *command(server, *words), chdir: server.folder)
  end

  test "a signal before the program begins ends the guest and its client, and nothing starts" do
    serve("after_worker_fork { |_server, child| File.read('pipe') unless child.worker? }") do |server|
      File.mkfifo(server.path("pipe"))
      write(server, "program.rb", "File.write('begun', '')")
      %w[INT TERM HUP].each do |name|
        client = spawn_client(server, "--fallback", "program.rb")
        pipe = wait_for_reader(server, "pipe")
        Process.kill(name, client)

        assert_equal Signal.list.fetch(name), BoundedWait.status_of(client).termsig
        no_guest(server)
      ensure
        pipe&.close
      end
      refute_path_exists server.path("begun")
    end
  end

  test "the second signal ends a client whose guest is not there yet, and the guest" do
    serve("before_fork { |_server| File.read('pipe') if File.exist?('pipe') }") do |server|
      File.mkfifo(server.path("pipe"))
      write(server, "program.rb", "File.write('begun', '')")
      client = spawn_client(server, "--fallback", "program.rb")
      pipe = wait_for_reader(server, "pipe")
      %w[INT TERM].each { |name| Process.kill(name, client) }

      assert_equal Signal.list.fetch("TERM"), BoundedWait.status_of(client).termsig
      File.delete(server.path("pipe"))
      pipe.close
      no_guest(server)
      refute_path_exists server.path("begun")
    ensure
      pipe&.close
    end
  end

  soak_test "a client under nohup goes on after HUP" do
    share do |server|
      shell = ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh", *command(server, "-e", "$stdout.sync = true; p 1; gets")]
      IO.popen([{ "RUBYOPT" => nil, "RACK_ENV" => nil }, *shell], "r+") do |client|
        BoundedWait.readable(client).gets
        Process.kill(:HUP, client.pid)
        client.puts
        BoundedWait.read(client)
      end

      assert_predicate $?, :success?
    end
  end

  test "the program's at_exit handlers run, last registered first, and see its error; those of the mold do not" do
    share do |server|
      code = "at_exit { puts 1; exit 9 }; at_exit { puts $!.class }; raise 'broken'"
      output, error, status = guest(server, "-e", code)

      assert_equal ["RuntimeError\n1\n", 9], [output, status.exitstatus]
      refute_match(/the mold's/, error)

      _, error, = guest(server, "-e", "raise Coppice::Error, 'of the program'")
      assert_match(/\A-e:1:in .<main>': of the program \(Coppice::Error\)$/, error)

      output, error, status = guest(server, "-e", "def deep = raise('broken')\nat_exit { puts 1 }\ndeep")

      assert_equal ["1\n", 1], [output, status.exitstatus]
      assert_equal "-e:1:in `deep': broken (RuntimeError)\n\tfrom -e:3:in `<main>'\n",
        error.gsub("'Object#deep'", "`deep'").gsub("'<main>'", "`<main>'")
    end
  end

  test "an exception is shown with the hints of Ruby's gems, which other tests do without" do
    serve(env: { "RUBYOPT" => ENV["RUBYOPT"].to_s.gsub(/--disable=\S+/, "") }) do |server|
      assert_match(/\A-e:1:in .*undefined method .frist. .*NoMethodError/, guest(server, "-e", "[1].frist")[1])
      assert_match(/Did you mean\?  first/, guest(server, write(server, "typo.rb", "[1].frist"))[1])
    end
  end

  test "twenty megabytes go through both streams" do
    share do |server|
      bytes = Random.new(1).bytes(1024 * 1024)
      sum = Digest::SHA256.new
      output, input, = stream(server, "IO.copy_stream($stdin, $stdout)")
      writer = Thread.new { 20.times { input.write(bytes) } && input.close }
      20.times { sum << output.read(bytes.bytesize) }
      BoundedWait.value_of(writer)

      assert_equal "", BoundedWait.read(output)
      assert_equal Digest::SHA256.hexdigest(bytes * 20), sum.hexdigest
      assert_predicate BoundedWait.status_of(@client), :success?
    end
  end

  test "a reader that has gone ends the guest as it ends any Ruby" do
    share do |server|
      output, input, error = stream(server, "loop { puts 'x' * 1000 }")
      BoundedWait.readable(output).readpartial(10)
      output.close

      assert_match(/EPIPE/, BoundedWait.read(error))
      assert_equal 1, BoundedWait.status_of(@client).exitstatus
      input.close
    end
  end

  test "closed standard streams are empty ones" do
    share do |server|
      ending = "p [$stdin.read, Process.pid]"
      shell = "exec 0<&-; exec \"$@\""
      output, _, status = Open3.capture3({ "RUBYOPT" => nil, "RACK_ENV" => nil }, "sh", "-c", shell, "sh",
        *command(server, "-e", ending))

      assert_match(/\A\["", \d+\]$/, output)
      assert_predicate status, :success?
    end
  end

  soak_test "hooks of a worker's fork run in a guest" do
    config = "after_worker_fork { |_server, child| $forked = [child.nr, child.worker?] }"
    app = "Coppice.at_fork(after_in_worker: -> { $callback = true })\n#{APP}"
    serve(config, app: app) do |server|
      assert_equal "[[nil, false], true]\n", guest(server, "-e", "p [$forked, $callback]").first
    end
  end

  test "a guest may replace itself by another program" do
    share do |server|
      output, _, status = guest(server, "-e", "exec('sh', '-c', 'echo replaced; exit 6')")

      assert_equal ["replaced\n", 6], [output, status.exitstatus]
    end
  end

  private

  def status_page(server)
    Open3.capture2({ "RUBYOPT" => nil }, RbConfig.ruby, Server::EXECUTABLE, "status", "--pid", server.pid.to_s).first
  end

  def parent_of(pid) = Coppice::OS::ProcessStat.of(pid).parent

  # Lines of /proc/net/unix about the sockets that a process has open.
  def unix_sockets(pid)
    inodes = ProcessDescriptors.links(pid).filter_map { |link| link[/\Asocket:\[(\d+)\]/, 1] }
    File.readlines("/proc/net/unix").select { |line| inodes.include?(line.split[6]) }
  end
end
