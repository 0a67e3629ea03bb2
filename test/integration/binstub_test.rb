# frozen_string_literal: true

# lane: soak -- boots an application for each test

require "test_helper"
require_relative "../support/guest_commands"
require_relative "../support/guest_terminal"
require_relative "../support/releases"

# Programs of bin with the lines of `coppice binstub`, beside a server and without one.
class BinstubTest < Coppice::TestCase
  include Releases
  include GuestCommands
  include GuestTerminal

  # Says where it runs.
  TOOL = <<~'RUBY'
    #!/usr/bin/env ruby
    # frozen_string_literal: true

    puts "#{defined?(WARM) ? 'warm' : 'cold'} #{ARGV.inspect} #{ENV['COPPICE_RUN'].inspect}"
    eval(ENV["THEN"].to_s)
  RUBY

  # Yields a server that was started in a folder with bin/tool.
  def with_tool(config = "", **options)
    serve(config, **options) do |server|
      Dir.mkdir(server.path("bin"))
      write(server, "bin/tool", TOOL, 0o755)
      binstub(server.folder, "tool")
      yield server
    end
  end

  def binstub(folder, *words) = Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, Server::EXECUTABLE, "binstub",
    *words, chdir: folder)

  def variables(**more)
    folders = [RbConfig::CONFIG.fetch("bindir"), ENV.fetch("PATH")].join(":")
    { "RUBYOPT" => nil, "RACK_ENV" => nil, "BUNDLE_GEMFILE" => nil, "COPPICE_RUN" => "1", "PATH" => folders,
      **more.transform_keys(&:to_s) }
  end

  def tool(server, *words, **env) = Open3.capture3(variables(**env), "bin/tool", *words, chdir: server.folder)

  test "with COPPICE_RUN=1 it runs in the application; without, by itself" do
    with_tool do |server|
      assert_equal ["warm [\"a b\", \"--pid\"] nil\n", "", 7],
        tool(server, "a b", "--pid", THEN: "exit 7").then { |out, error, status| [out, error, status.exitstatus] }
      assert_equal ["cold [] nil\n", ""], tool(server, COPPICE_RUN: nil).first(2)
      assert_equal ["cold [] \"0\"\n", ""], tool(server, COPPICE_RUN: "0").first(2)
    end
  end

  test "without a server it runs by itself, and says so in one line" do
    with_tool do |server|
      server.stop
      output, error, status = tool(server, "a", THEN: "exit 7")

      assert_equal ["cold [\"a\"] nil\n", 7], [output, status.exitstatus]
      assert_match(/\Acoppice: this user does not run exactly one Coppice server in #{server.folder}\. /, error)
      assert_match(/\A[^\n]*tool starts without the server\n\z/, error)
    end
  end

  test "where the server takes no guest it runs by itself, and says so in one line" do
    with_tool("guests false") do |server|
      output, error, = tool(server)

      assert_equal "cold [] nil\n", output
      assert_match(/\Acoppice: this server allows no guests.* starts without the server\n\z/, error)
    end
  end

  test "what the guest refuses it runs by itself, and says so in one line" do
    with_tool do |server|
      output, error, = tool(server, RACK_ENV: "test")

      assert_equal "cold [] nil\n", output
      assert_match(/\Acoppice: this server runs in production: RACK_ENV=test needs a process of its own.*\n\z/, error)
    end
  end

  test "a guest whose hook fails before the program has begun is replaced by the program itself" do
    with_tool("after_worker_fork { |_, child| raise 'broken' unless child.worker? }") do |server|
      assert_equal "cold [] nil\n", tool(server).first
    end
  end

  test "on a terminal it has that terminal, as a guest and by itself" do
    with_tool do |server|
      { nil => "warm", "test" => "cold" }.each do |environment, place|
        asks = variables(RACK_ENV: environment, THEN: "puts $stdin.tty?; puts gets.upcase; exit 7")
        on_terminal(server, "bin/tool", env: asks)
        expect("#{place} [] nil\r\ntrue\r\n")
        type("typed\n")
        expect("TYPED")

        assert_equal 7, status.exitstatus
      end
    end
  end

  test "once the program has begun nothing runs it again" do
    with_tool do |server|
      assert_equal ["warm [] nil\n", 1], tool(server, THEN: "exit 1").then { |out, _, ended| [out, ended.exitstatus] }
      assert_equal ["warm [] nil\n", 9],
        tool(server, THEN: "$stdout.flush; Process.kill(:KILL, $$)").then { |out, _, ended| [out, ended.termsig] }
      output, error, status = tool(server, THEN: "$stdout.flush; Process.kill(:KILL, Process.ppid); sleep")

      assert_equal ["warm [] nil\n", 1], [output, status.exitstatus]
      assert_equal "coppice: the server has closed the connection: the guest gets HUP\n", error
    end
  end

  test "a guest asks for no guest, though the application sets COPPICE_RUN itself" do
    with_tool(app: "ENV['COPPICE_RUN'] = '1'\n#{APP}", env: { "COPPICE_RUN" => "1" }) do |server|
      assert_equal ["warm [] nil\n", ""], tool(server).first(2)
    end
  end

  test "the server of another application is none of its own" do
    with_tool do |server|
      serve(app: "WARM = 2\n#{APP.sub(/^WARM.*/, '')}") do |other|
        Dir.mkdir(other.path("bin"))
        FileUtils.cp([server.path("bin/tool"), server.path("bin/coppice")], other.path("bin"))
        other.stop

        assert_match(/\Acold/, tool(other).first)
      end
    end
  end

  test "a program of the next release starts by itself until the server is rolled to it" do
    write_releases(:one, :two, app: APP, config: CONFIG) do |directories, socket|
      link = File.join(File.dirname(directories[:one]), "current")
      File.symlink(directories[:one], link)
      InReleases.open(app: nil, folder: link, socket: socket) do
        File.unlink(link)
        File.symlink(directories[:two], link)
        add(directories[:two], "bin/tool" => TOOL)
        File.chmod(0o755, File.join(directories[:two], "bin/tool"))
        binstub(directories[:two], "tool")

        assert_match(/\Acold/, Open3.capture2(variables, "bin/tool", chdir: link).first)
      end
    end
  end

  test "the lines are added once and taken out again" do
    with_tmpdir do |folder|
      Dir.mkdir("#{folder}/bin")
      File.write("#{folder}/bin/rake", TOOL)
      first = binstub(folder)
      changed = File.read("#{folder}/bin/rake")
      again = binstub(folder, "bin/rake")

      assert_equal [0, "bin/coppice starts Coppice #{Coppice::VERSION}\nbin/rake has the lines for COPPICE_RUN=1\n"],
        [first.last.exitstatus, first.first]
      assert_equal first.first.gsub("\n", ", as before\n"), again.first
      assert_equal changed, File.read("#{folder}/bin/rake")
      assert_operator File, :executable?, "#{folder}/bin/coppice"
      binstub(folder, "--remove")

      assert_equal [TOOL, ["rake"]], [File.read("#{folder}/bin/rake"), Dir.children("#{folder}/bin")]
    end
  end

  test "what it has not written stays, and what is no Ruby script is refused" do
    with_tmpdir do |folder|
      Dir.mkdir("#{folder}/bin")
      { "coppice" => "another's", "rake" => TOOL, "shell" => "#!/bin/sh\n" }.each do |name, text|
        File.write("#{folder}/bin/#{name}", text)
      end
      assert_match(%r{^bin/coppice is another program's and stays}, binstub(folder).first)
      binstub(folder, "--remove")
      assert_equal "another's", File.read("#{folder}/bin/coppice")
      { "shell" => /no Ruby script/, "missing" => /there is no bin/, "coppice" => /leave it out/ }.each do |name, words|
        text, status = binstub(folder, "rake", name)
        assert_match words, text
        refute_predicate status, :success?
      end
      assert_equal TOOL, File.read("#{folder}/bin/rake")
    end
  end

  test "bin/coppice finds the gem through Bundler when it has moved" do
    with_tool do |server|
      script = File.read(server.path("bin/coppice")).sub(Server::EXECUTABLE, "/nowhere/coppice")
      env = { "BUNDLE_GEMFILE" => File.expand_path("../../Gemfile", __dir__), "RUBYOPT" => nil }
      output, status = Open3.capture2e(env, "sh", "-s", "version", stdin_data: script, chdir: server.folder)

      assert_match(/\Acoppice #{Coppice::VERSION} /, output)
      assert_predicate status, :success?
    end
  end
end
