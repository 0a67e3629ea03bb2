# frozen_string_literal: true

# lane: soak -- waits for processes that hang

require "test_helper"
require_relative "../../support/doctor_test_case"

# `coppice doctor` over applications that it cannot examine to the end, and what it leaves behind.
class DoctorEndingsTest < DoctorTestCase
  LIMIT = "20" # seconds: more than a boot takes on a busy machine, beside the others
  FAILURES = {
    "exit" => "the application was not loaded: the mold of generation 0 ended with status 0",
    "sleep" => "the application was not loaded: the mold of generation 0 hangs: it took longer than 20.0 s (--limit)",
    "run ->(_env) { sleep }" => "the worker of generation 0 has not finished GET / after 20.0 s (--limit)",
    "run ->(_env) { [200, {}, Enumerator.new { |body| body << 'event' && sleep }] }" =>
      "the worker of generation 0 has not finished GET / after 20.0 s (--limit)"
  }.freeze
  NO_EXIT = "at_exit { sleep }\n#{PLAIN}".freeze

  # What is said of those that reach the limit, by their text. They wait for it side by side.
  def self.reports
    @reports ||= [*FAILURES.keys, NO_EXIT].to_h do |app|
      [app, Thread.new { new("reports").examine(app, "--limit", LIMIT, "--timeout", "100") }]
    end.transform_values(&:value)
  end

  test "an application that exits or never ends at boot or in a request says so, and is not called unsafe" do
    FAILURES.each do |app, message|
      status, report = self.class.reports.fetch(app)

      assert_equal [1, "unknown", message], [status, report[:verdict], report[:failures].first[:message]]
      assert_equal ["whether it survives a fork: no generation was examined"], report[:not_seen]
    end
  end

  test "a limit that is no number above 0 is refused" do
    { "0" => "must be more than 0, but is 0.0", "soon" => "cannot be soon" }.each do |limit, complaint|
      status, output, error = doctor(PLAIN, "--limit", limit)

      assert_equal [2, "", "coppice: --limit #{complaint}\n"], [status, output, error]
    end
  end

  test "a path may have spaces and letters of any language, as in a browser" do
    _, report = examine("run ->(env) { raise env['PATH_INFO'] }", "/a é")

    assert_equal "/a%20%C3%A9 (RuntimeError)", report[:answers].first[:error]
  end

  test "a process that does not exit is told with what may keep it" do
    _, report = self.class.reports.fetch(NO_EXIT)

    assert_match(/of generation 2 does not exit: .* at_exit takes longer than 20/, report[:failures].first[:message])
  end

  test "a request that takes longer than the option timeout" do
    _, report = examine("run ->(_env) { sleep }", "--timeout", "1")

    assert_equal "the worker of generation 0 ended: GET / took longer than the option timeout",
      report[:failures].first[:message]
  end

  test "a place without an application is told in one line" do
    with_tmpdir do |folder|
      status, output, error = run_doctor(folder)

      assert_equal [1, ""], [status, error]
      assert_match(/\Anot known: .*\nthere is no config\.ru in .*#{File.basename(folder)}\. Start .*\n\z/, output)
    end
  end

  test "standard output has the report only, whatever the application prints" do
    part = "def self.use = puts('hello') || system('echo hello') || STDOUT.syswrite('hello')"
    status, output, error = doctor(app(part), "--json")

    assert_equal [0, "ready"], [status, JSON.parse(output)["verdict"]]
    assert_includes error, "hello"
  end

  test "a copy that the application forks, and that returns, is told with its place" do
    _, report = examine(app("def self.use = fork || nil"))

    assert_equal ["care", "config.ru:#{line_of('def self.use = fork', 'fork')}"],
      [report[:verdict], report[:stray_copies].first[:place]]
    assert_equal "ready", examine(app("def self.use = fork { nil }")).last[:verdict]
  end

  { INT: 130, TERM: nil }.each do |signal, status|
    test "it ends at #{signal} to its group, and leaves no process" do
      with_tmpdir do |folder|
        File.write(File.join(folder, "config.ru"), "File.write('pid', Process.pid)\nsleep\n#{PLAIN}")
        command = [RbConfig.ruby, EXECUTABLE, "doctor"]
        error = File.join(folder, "error")
        doctor = Process.spawn(*command, chdir: folder, err: error, out: File::NULL, pgroup: true)
        mold = eventually do
          path = File.join(folder, "pid")
          Integer(File.read(path), exception: false) if File.exist?(path)
        end
        Process.kill(signal, -doctor)
        ended = BoundedWait.status_of(doctor)

        refute_path_exists "/proc/#{mold}"
        assert_equal [status, (Signal.list.fetch("TERM") unless status)], [ended.exitstatus, ended.termsig]
        assert_equal status ? "coppice: interrupted\n" : "", File.read(error)
      end
    end
  end

  test "an application that cannot be loaded" do
    status, output, error = doctor("raise ArgumentError, 'no database'")

    assert_equal 1, status
    assert_match(/no database/, output)
    assert_match(/config\.ru:1/, error)
  end

  test "no process stays behind, not even one that the application has started" do
    started = %(spawn("sleep", "1000", pgroup: true, out: "/dev/null", err: "/dev/null")\n)
    app = %(File.write(ENV.fetch("PIDS"), "\#{Process.pid} \#{#{started.chomp}}")\n#{PLAIN})
    with_tmpdir do |folder|
      pids = File.join(folder, "pids")
      doctor(app, env: { "PIDS" => pids })

      assert_empty(File.read(pids).split.select { |pid| File.exist?("/proc/#{pid}") })
    end
  end
end
