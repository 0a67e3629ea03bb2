# frozen_string_literal: true

# lane: soak -- builds and installs the gem

require "test_helper"
require_relative "../support/installed_gem"

# The gem as it is installed on a system that is not Linux: built without the calls that only Linux has.
class PortableServerTest < Coppice::TestCase
  APP = <<~'RUBY'
    run(lambda do |env|
      received = env["rack.input"].read.bytesize
      [200, {}, ["#{Process.pid} #{received}"]]
    end)
  RUBY

  # Functions of the C library that other systems do not have, or not with these arguments.
  ONLY_LINUX = /
    \A(?:accept4|epoll_|eventfd|inotify_|memfd_|pidfd_|prctl|sendfile|signalfd|splice|syscall|timerfd|unshare)
  /x

  # Larger than what stays in memory, so that it is kept in a file.
  BODY = ("x" * (1024 * 1024)).freeze

  # One installation, which takes seconds, for all of it.
  test "no call is one that only Linux has, one process serves, and commands that need Linux say so" do
    with_tmpdir do |folder|
      gem = InstalledGem.new(folder)
      gem.install(env: { "COPPICE_PORTABLE" => "1" })

      assert_empty system_calls(gem).grep(ONLY_LINUX)
      assert_empty Dir.glob(File.join(gem.home, "**/coppice-lobby"))
      serving_on(gem, "worker_processes 2\nrefork_after [10]") { |server| assert_one_process_serves(server) }
      assert_commands_need_linux(gem)
    end
  end

  private

  # Commands that look at a running server.
  def assert_commands_need_linux(gem)
    %w[memory profile cold].each do |command|
      error = assert_raises(RuntimeError) { gem.run("coppice", command) }

      assert_match(/^coppice: coppice #{command} needs Linux$/, error.message)
    end
  end

  # The names of what the extension asks of other libraries.
  def system_calls(gem)
    extension = Dir.glob(File.join(gem.home, "gems", gem.specification.full_name, "lib", "**", "coppice_ext.so")).first
    lines = IO.popen(["nm", "--undefined-only", "--dynamic", extension], &:readlines)
    names = lines.map { |line| line.split[1] }

    assert_includes names.join(" "), "poll"
    names
  end

  def serving_on(gem, config, &block)
    command = [RbConfig.ruby, gem.executable]
    InstalledGem::Server.open(command: command, app: APP, config: config, env: gem.environment, ready: false, &block)
  end

  def assert_one_process_serves(server)
    expected = "#{server.pid} #{BODY.bytesize}"

    server.wait(60, "an answer") { answered?(server) }
    3.times { assert_equal expected, server.request("POST", "/", {}, BODY).body }
    assert_equal [server.pid], server.family
    assert_predicate server.stop, :success?
  end

  def answered?(server)
    server.get.status == 200
  rescue SystemCallError
    false
  end
end
