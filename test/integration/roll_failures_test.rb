# frozen_string_literal: true

# lane: soak -- each test boots several releases, and waits for some that hang

require "test_helper"
require_relative "../support/gate"
require_relative "../support/releases"
require_relative "../support/small_disk"

# Releases that this server cannot boot: each is given up, and the release before serves all the time.
class RollFailuresTest < Coppice::TestCase
  include Releases

  ROOT = File.expand_path("../..", __dir__)
  GIVEN_UP = 1 + Coppice::Board::ROLL_OUTCOMES.index("given_up")

  # Nothing changes but the list of releases, which says why.
  # message: of the exception, which only the answer has.
  def assert_given_up(server, directory, reason, message = nil)
    before = server.board.rows.select(&:ready?).map(&:pid).sort
    unnoticed(server) do
      output, status = coppice(server, "roll", directory)

      assert_equal 1, status.exitstatus, output
      assert_match(/#{reason}#{message}/, output)
    end
    record = server.board.release_record(server.board.releases_count)

    assert_equal [GIVEN_UP, 1], [record.outcome, server.board.release_number]
    assert_match reason, record.reason
    refute_match message, record.reason if message
    server.wait { server.board.rows.select(&:ready?).map(&:pid).sort == before }
  end

  test "a release that raises, exits or is killed while it boots, or has no application" do
    apps = { raising: 'raise "not\\e[2Jtoday"', leaving: "exit 3", exiting: "exit! 0",
             killed: "Process.kill(:KILL, Process.pid)", no_ruby: "run ->(", empty: "" }
    reasons = { raising: [/status 1, RuntimeError \(config\.ru:1:in.*\)/, /: not\\u\{1b\}\[2Jtoday\. /],
                leaving: [/status 3, SystemExit \(config\.ru:1:in.*\)/, /: exit\. /],
                no_ruby: [/status 1, SyntaxError/, /: .*config\.ru/] }
    with_releases(:one, *apps.keys, apps: apps) do |server, directories|
      apps.each_key do |name|
        reason, message = reasons[name]
        assert_given_up(server, directories[name], /exited before it was ready: #{reason || ".*"}/, message)
      end
    end
  end

  test "a release that hangs while it boots has boot_timeout" do
    with_releases(:one, :two, apps: { two: "#{Gate.code('boot')}\n#{APP}" },
                              configs: { two: "worker_processes 2\nboot_timeout 1" }) do |server, directories|
      Gate.new(File.join(directories[:two], "boot")).closed do
        assert_given_up(server, directories[:two], /exited before it was ready/)
      end
    end
  end

  test "a release whose workers do not start" do
    broken = "worker_processes 2\nafter_worker_fork { raise 'no connection' }"
    reason = /first worker did not become ready: status 1, RuntimeError \(.*\)/
    with_releases(:one, :two, configs: { two: broken }) do |server, directories|
      assert_given_up(server, directories[:two], reason, /: no connection\. /)
    end
  end

  test "a directory that is not there, or has no application or a wrong configuration" do
    with_releases(:one, :two, :three, configs: { two: "no_such_option 1" }) do |server, directories|
      FileUtils.rm(File.join(directories[:three], "config.ru"))

      assert_given_up(server, directories[:two], /no_such_option/)
      assert_given_up(server, directories[:three], /there is no .*config.ru/)
      output, status = coppice(server, "roll", "/nowhere/at/all")

      assert_equal [1, true], [status.exitstatus, output.include?("/nowhere/at/all")], output
      assert_equal "one", release_of(server)
    end
  end

  # The disk of the log, the releases and all temporary files: nothing can be written any more.
  test "the disk is full" do
    SmallDisk.open_for_temporary_files do |disk|
      with_releases(:one, :two) do |server, directories|
        disk.fill

        assert_predicate disk, :full?
        unnoticed(server) do
          assert_rolled(server, "roll", directories[:two], release: 2)
          assert_rolled(server, "rollback", release: 1)
        end
      end
    end
  end

  test "a release that asks for a Ruby that is not there" do
    with_releases(:one, :two) do |server, directories|
      add(directories[:two], ".ruby-version" => "9.9.9\n")

      assert_given_up(server, directories[:two], /asks for Ruby 9.9.9/)
    end
  end

  test "a release without a Gemfile, with an incomplete bundle, or with another version of Coppice" do
    other_coppice = "Gem::Specification.new('coppice', '99.1') { |gem| gem.summary = gem.author = 'another' }\n"
    with_releases(:one, :two, :three, :four) do |server, directories|
      add(directories[:one], "Gemfile" => RACK)
      add(directories[:three], "Gemfile" => "#{RACK}gem 'not-installed-anywhere'\n")
      add(directories[:four], "Gemfile" => "#{RACK}gem 'coppice', path: 'other'\n",
                              "other/coppice.gemspec" => other_coppice)
      restart_with_bundle(server, directories[:one])

      assert_given_up(server, directories[:two], /there is no .*two.Gemfile/)
      assert_given_up(server, directories[:three], /Bundler::GemNotFound/, /: .*not-installed-anywhere/)
      assert_given_up(server, directories[:four], /its bundle has Coppice 99.1.*start a new server/)
    end
  end
end
