# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/os/process_stat"
require "coppice/release/release_check"
require "coppice/state"

module Coppice
  # The process that says whether a release can be booted, played with real directories.
  class ReleaseCheckTest < TestCase
    # Yields a directory with these files.
    def with_release(files = {})
      with_tmpdir do |folder|
        folder = File.realpath(folder)
        { "config.ru" => "", "config/coppice.rb" => "worker_processes 1", **files }.each do |name, text|
          next unless text

          path = File.join(folder, name)
          FileUtils.mkdir_p(File.dirname(path))
          File.write(path, text)
        end
        yield folder
      end
    end

    # Without what Bundler has set for this process.
    def environment(**more) = { "PATH" => ENV.fetch("PATH"), "HOME" => ENV.fetch("HOME", "/"), **more }

    def check(directory, first_ruby: nil, arguments: [], **variables)
      ReleaseCheck.new(directory: directory, environment: environment(**variables.transform_keys(&:to_s)),
        arguments: arguments, first_ruby: first_ruby)
    end

    # What it finds.
    def result(...)
      check = check(...)
      loop do
        answer = check.result and return answer
        BoundedWait.readable(check.reader)
      end
    ensure
      finish(check) if check
    end

    def finish(check)
      check.close
      BoundedWait.status_of(check.pid)
    end

    def refusal(...) = assert_raises(Error) { result(...) }.message

    test "what its configuration has started ends with it" do
      with_release("config/coppice.rb" => "File.write('started', spawn('sleep', '1000').to_s)\nsleep") do |folder|
        check = check(folder)
        pid = eventually { File.exist?("#{folder}/started") && File.read("#{folder}/started")[/.+/] }.to_i
        finish(check)

        eventually { OS::ProcessStat.of(pid).then { |stat| stat.nil? || stat.zombie? } }
      end
    end

    test "a release without a Gemfile is booted by the server's own Ruby and files" do
      with_release do |folder|
        assert_equal [RbConfig.ruby, EXECUTABLE, RUBY_VERSION, State::INTERPRETER], result(folder).to_a
      end
    end

    test "the Ruby that it asks for is the one that PATH leads to there" do
      with_release(".ruby-version" => "ruby-#{RUBY_VERSION}\n") do |folder|
        assert_equal RbConfig.ruby, result(folder).ruby, "the server's own is good"
      end
      with_release(".ruby-version" => "9.9.9\n") do |folder|
        assert_match(/asks for Ruby 9.9.9 .*but `ruby` is #{RUBY_VERSION}/, refusal(folder))
        assert_equal RbConfig.ruby, result(folder, first_ruby: "9.9.9").ruby, "it is what the first release asked for"
      end
    end

    test "without any Ruby in PATH it is refused at once" do
      with_release(".ruby-version" => "9.9.9\n") do |folder|
        message = assert_raises(Error) { check(folder, PATH: "/nowhere") }.message

        assert_match(/ruby cannot be started in #{folder}/, message)
      end
    end

    test "what is wrong with its files is said" do
      with_release("config/coppice.rb" => "worker_proceses 3") do |folder|
        assert_match(/Did you mean worker_processes/, refusal(folder))
      end
      with_release("config/coppice.rb" => "raise 'no vault'") { |folder| assert_match(/no vault/, refusal(folder)) }
      with_release("config.ru" => nil) { |folder| assert_match(%r{there is no #{folder}/config.ru}, refusal(folder)) }
      with_release do |folder|
        assert_match(%r{there is no #{folder}/Gemfile}, refusal(folder, BUNDLE_GEMFILE: "#{folder}/Gemfile"))
      end
    end

    SECRETS = {
      { "config/coppice.rb" => "\nraise 'no vault'" } =>
        ["config/coppice.rb:2: RuntimeError", "config/coppice.rb:2: RuntimeError: no vault"],
      { "config/coppice.rb" => "timeout 0" } =>
        [/timeout must be a number of seconds, 0.1 or more. For/, /0.1 or more, but is 0. For/],
      { "config/coppice.rb" => "admin_token 'no key'\ntimeout (\n" } =>
        [%r{\Aconfig/coppice.rb:[23]: syntax error\z}, /syntax error.*timeout \(/],
      { "Gemfile" => "raise 'no token'" } => [/\ABundler::\S+\z/, /\ABundler::\S+: .*no token/]
    }.freeze

    test "the reason is without what may tell a secret: an exception's message, a value, an excerpt of the file" do
      SECRETS.each do |files, (reason, message)|
        with_release(files) do |folder|
          gemfile = { BUNDLE_GEMFILE: "#{folder}/Gemfile" } if files.key?("Gemfile")
          error = assert_raises(ReleaseRefused) { result(folder, **gemfile.to_h) }

          assert_operator reason, :===, error.reason
          assert_operator message, :===, error.message
        end
      end
    end

    test "a configuration that ends the process is no answer" do
      with_release("config/coppice.rb" => "exit! 0") do |folder|
        assert_match(/ended without an answer/, refusal(folder))
      end
    end

    test "the flags of the server hold in that directory" do
      with_release("other.rb" => "worker_processes 2", "app.ru" => "", "config.ru" => nil) do |folder|
        assert_equal EXECUTABLE, result(folder, arguments: ["-c", "other.rb", "app.ru"]).executable
      end
    end

    test "one that is given up leaves no process" do
      with_release("config/coppice.rb" => "sleep") do |folder|
        check = check(folder)

        assert_nil check.result
        finish(check)

        assert_raises(Errno::ESRCH) { Process.kill(0, check.pid) }
      end
    end

    # The monitor asks for the result in each turn, and reaps a second after the exit.
    test "one that was reaped while a process of its configuration holds the pipe is not signalled any more" do
      with_release("config/coppice.rb" => "fork { sleep }\nexit! 0") do |folder|
        check = check(folder)
        eventually { OS.exited_child(check.pid) }
        answer = check.result
        BoundedWait.status_of(check.pid)
        signals = []
        Process.stub(:kill, ->(*arguments) { signals << arguments }) { check.close }

        assert_nil answer
        assert_empty signals
      ensure
        Process.kill(:KILL, -check.pid)
      end
    end
  end
end
