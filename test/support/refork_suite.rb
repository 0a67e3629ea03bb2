# frozen_string_literal: true

require "open3"
require_relative "bounded_wait"
require_relative "without_bundler"

# Runs one of the suites in test/test_reforks with reforks, as its user would: with its own bundle, in its own process.
module ReforkSuite
  FOLDER = File.expand_path("../test_reforks", __dir__)
  LIMIT = 120 # seconds of waiting for a suite
  ENVIRONMENT = WITHOUT_BUNDLER.merge("BUNDLE_GEMFILE" => "#{FOLDER}/Gemfile", "COPPICE_REFORK_EVERY" => "1",
                                      "COPPICE_REFORK_TIMEOUT" => "60", "MT_CPU" => nil, "SEED" => nil).freeze
  PROGRAMS = { minitest: %w[ruby], rspec: %w[rspec --no-color] }.freeze
  FILTERS = { minitest: ->(name) { ["-n", "/#{name}/"] }, rspec: ->(name) { ["-e", name] } }.freeze

  Outcome = Struct.new(:output, :status) do
    def pids = output.scan(/pid (\d+)/).flatten
  end

  module_function

  # only: the name of the tests to run. folder: where it runs.
  def run(framework, suite, *arguments, only: nil, env: {}, folder: FOLDER)
    run_program(command(framework, suite, *arguments, only: only), env: env, folder: folder)
  end

  def run_program(program, env:, folder:)
    limit = BoundedWait.seconds(LIMIT).to_s
    Outcome.new(*Open3.capture2e(ENVIRONMENT.merge(env), "timeout", limit, *program, chdir: folder))
  end

  # Yields the pid of a suite that leads a group of processes, and its output; answers its Process::Status. The end of
  # the output is the end of the last process.
  def open(framework, suite, only:)
    reader, writer = IO.pipe
    pid = Process.spawn(ENVIRONMENT, *command(framework, suite, only: only), chdir: FOLDER, pgroup: true,
      %i[out err] => writer)
    writer.close
    yield pid, reader
    BoundedWait.status_of(pid, LIMIT).tap { pid = nil }
  ensure
    reader&.close
    Process.kill(:KILL, -pid) && BoundedWait.status_of(pid) if pid
  end

  def command(framework, suite, *arguments, only: nil)
    file = suite.include?("/") ? suite : "#{FOLDER}/#{framework}/#{suite}.rb"
    filter = only ? FILTERS.fetch(framework).call(only) : []
    ["bundle", "exec", *PROGRAMS.fetch(framework), file, *filter, *arguments]
  end
end
