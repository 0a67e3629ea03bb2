# frozen_string_literal: true

require "json"
require "open3"
require "rbconfig"
require "socket"
require "test_helper"

# Tests that call `coppice doctor` as a person does.
class DoctorTestCase < Coppice::TestCase
  EXECUTABLE = File.expand_path("../../exe/coppice", __dir__)
  PLAIN = 'run ->(_env) { [200, { "content-type" => "text/plain" }, ["hello"]] }'

  # An application whose every request calls Part.use.
  def app(part)
    <<~RUBY
      require "socket"
      module Part
        #{part}
      end
      run ->(_env) { Part.use; [200, { "content-type" => "text/plain" }, ["hello"]] }
    RUBY
  end

  # Exit status, report and standard error. No process and no file stays behind.
  def doctor(app, *words, config: "", env: {})
    with_tmpdir do |folder|
      File.write(File.join(folder, "config.ru"), app)
      File.write(File.join(folder, "coppice.rb"), config)
      run_doctor(folder, "-c", "coppice.rb", *words, env: env)
    end
  end

  def run_doctor(folder, *words, env: {})
    command = [RbConfig.ruby, EXECUTABLE, "doctor", *words]
    output, error, status = Open3.capture3({ "RACK_ENV" => "production" }.merge(env), *command, chdir: folder)
    [status.exitstatus, output, error]
  end

  def examine(app, *words, **options)
    status, output, error = doctor(app, "--json", *words, **options)
    flunk error if output.empty?
    [status, JSON.parse(output, symbolize_names: true)]
  end

  # The findings of an application, as kind => the first one of that kind.
  def findings_of(part, **options)
    status, report = examine(app(part), **options)
    [status, report.fetch(:findings).to_h { |finding| [finding[:kind].to_sym, finding] }, report]
  end

  def line_of(part, text) = app(part).lines.index { |line| line.include?(text) } + 1

  def with_peer
    peer = TCPServer.new("127.0.0.1", 0)
    yield peer.local_address.ip_port
  ensure
    peer&.close
  end
end
