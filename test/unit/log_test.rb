# frozen_string_literal: true

require "test_helper"
require "coppice/log"
require "coppice/log/plain_line"
require "json"
require "logger"
require "open3"
require "rbconfig"
require "stringio"

module Coppice
  class LogTest < TestCase
    # Refuses as many writes as it is told, then takes them.
    class FullDisk < StringIO
      def initialize(refusals)
        super()
        @refusals = refusals
      end

      def write(*)
        raise Errno::ENOSPC if (@refusals -= 1) >= 0

        super
      end
    end

    test "a line has time, level, who speaks, the message and the fields" do
      line = text { |log| log.info("worker ready", requests: 3) }

      assert_match(/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z level=info /, line)
      assert_equal %(role=worker nr=3 gen=2 pid=#{Process.pid} msg="worker ready" requests=3\n), line.split(" ", 3).last
    end

    test "who speaks can be changed for another log to the same place" do
      io = StringIO.new
      Log.new(io, role: :worker, nr: 3, generation: 1).with(nr: 4, generation: 2).info("ready")

      assert_includes io.string, "role=worker nr=4 gen=2 "
    end

    test "what is not known is left out" do
      io = StringIO.new
      Log.new(io, role: :monitor).info("ready", status: nil, signal: "TERM")

      assert io.string.end_with?(" role=monitor pid=#{Process.pid} msg=ready signal=TERM\n"), io.string
    end

    test "levels below the threshold are not written, nor their blocks called" do
      line = text(level: :warn) do |log|
        log.info("quiet")
        log.debug { flunk "called" }
        log.warn { "loud" }
        assert log.error?
        refute log.info?
      end

      assert_equal 1, line.lines.size
      assert_includes line, "level=warn"
    end

    test "nothing in a value can start a line, end a quote or control a terminal" do
      line = text { |log| log.info("a\nb\r\t\"c\" \\ \e[31m \u0085 \u202e é", path: "/x y") }

      assert_equal 1, line.lines.size
      assert_includes line, 'msg="a\nb\r\t\"c\" \\\\ \u{1b}[31m \u{85} \u{202e} é" path="/x y"'
    end

    test "no character that controls or confuses a terminal leaves in either format, wherever it stands" do
      hostile = [*0..0x1f, *0x7f..0x9f, 0x2028, 0x2029, 0x200e, 0x200f, *0x202a..0x202e, *0x2066..0x2069].pack("U*")
      error = RuntimeError.new(hostile).tap { |failed| failed.set_backtrace(["/app/#{hostile}.rb:1"]) }
      lines = [:text, :json].map do |format|
        written(format) { |log| log.exception(hostile, error, path: hostile, list: [hostile]) }
      end

      assert_empty lines.join.delete("\n").each_char.select { |character| hostile.include?(character) }
      assert_equal [2, 1], lines.map { |line| line.lines.size }
      assert_equal hostile, JSON.parse(lines.last)["reason"]
    end

    test "text in any encoding, and none, is written" do
      fields = { broken: "a\xFF\n", binary: "é".b, ascii: "é".dup.force_encoding("US-ASCII"),
                 latin: "é".encode("ISO-8859-1"), wide: "é".encode("UTF-16LE"), utf7: "a".dup.force_encoding("UTF-7") }

      assert_includes text { |log| log.info("x", **fields) },
        'broken="a\xFF\n" binary="é" ascii="é" latin="é" wide="é" utf7=a'
      assert_equal "é", JSON.parse(json { |log| log.info("x", **fields) })["wide"]
    end

    test "a field with the name of something we write ourselves hides nothing" do
      assert_includes text { |log| log.info("gone", pid: 99) }, " pid=#{Process.pid} msg=gone field_pid=99"
      assert_equal 99, JSON.parse(json { |log| log.info("gone", pid: 99) })["field_pid"]
    end

    test "an empty value is quoted" do
      assert_includes text { |log| log.info("", name: "") }, %(msg="" name="")
    end

    test "an entry in JSON parses to what was said" do
      line = json do |log|
        log.info("a \"b\"\n\u2028", count: 1, ratio: 0.5, nan: Float::NAN, ok: true,
          list: [1, nil, "x"], map: { a: :b })
      end
      entry = JSON.parse(line)

      assert_equal 1, line.lines.size
      assert_equal({ "level" => "info", "role" => "worker", "nr" => 3, "gen" => 2, "pid" => Process.pid,
                     "msg" => "a \"b\"\n\u2028", "count" => 1, "ratio" => 0.5, "nan" => "NaN", "ok" => true,
                     "list" => [1, nil, "x"], "map" => { "a" => "b" } },
        entry.reject { |name, _| name == "time" })
    end

    test "an exception is one entry with its backtrace and its cause on indented lines" do
      lines = text { |log| log.exception("app failed", failure, path: "/x") }.lines(chomp: true)

      assert lines.first.end_with?(%(msg="app failed" path=/x error=RuntimeError reason="second\\nline")), lines.first
      assert_match(/\A    .*log_test\.rb:\d+/, lines[1])
      assert_includes lines, "  cause: error=ArgumentError reason=first"
      assert(lines.drop(1).all? { |line| line.start_with?("  ") })
    end

    test "an exception in JSON has its backtrace as an array" do
      entry = JSON.parse(json { |log| log.error(failure) })

      assert_equal ["RuntimeError", "RuntimeError", "second\nline"], entry.values_at("msg", "error", "reason")
      assert_match(/log_test\.rb:\d+/, entry["backtrace"].first)
      assert_equal "first", entry["cause"]["reason"]
    end

    test "an exception whose message raises is reported all the same" do
      error = Class.new(StandardError) { def message = raise("no") }.new

      assert_includes text { |log| log.exception("app failed", error) }, %(reason="(its message raised RuntimeError)")
    end

    test "an error of a module that a configuration file defines has the name that the file gives it" do
      error = begin
        Object.new.instance_eval("module Secrets; class Missing < StandardError; end; end; raise Secrets::Missing, " \
                                 "Secrets.inspect", __FILE__, __LINE__ - 1)
      rescue StandardError => missing
        missing
      end

      assert_includes text { |log| log.exception("a hook failed", error) },
        "error=Secrets::Missing reason=Secrets"
    end

    test "an endless backtrace is cut" do
      error = RuntimeError.new("deep").tap { |deep| deep.set_backtrace(Array.new(10_000, "file:1")) }

      assert_includes text { |log| log.exception("app failed", error) }.lines.last, "... and 9900 more"
    end

    test "an entry is one write" do
      writes = []
      io = Class.new(StringIO) { define_method(:write) { |*text| writes << text } }.new
      Log.new(io, role: :worker).exception("app failed", failure)

      assert_equal [1, 1], [writes.size, writes.first.size]
    end

    test "entries that cannot be written are dropped and counted" do
      io = FullDisk.new(2)
      log = Log.new(io, role: :worker)
      4.times { log.info("hello") }

      assert_equal([true, false], io.string.lines.map { |line| line.include?("dropped=2") })
    end

    test "entries that cannot be made into text are dropped and counted" do
      value = Class.new { def to_s = raise("no") }.new
      lines = text do |log|
        log.info("one", value: value)
        log.info("two")
      end

      assert_match(/\A.* msg=two dropped=1\n\z/, lines)
    end

    test "a user's logger gets the text without time and level" do
      io = StringIO.new
      logger = Logger.new(io, formatter: ->(severity, _, _, message) { "#{severity}|#{message}\n" })
      Log.new(Log::Adapter.new(logger), role: :monitor).warn("slow", seconds: 2)

      assert_equal "WARN|role=monitor pid=#{Process.pid} msg=slow seconds=2\n", io.string
    end

    test "a user's logger that raises does not take the entry with it" do
      io = StringIO.new
      Log.new(Log::Adapter.new(Object.new, fallback: Log::Output.new(io)), role: :monitor).warn("slow")

      assert_includes io.string, "msg=slow logger_error=NoMethodError"
    end

    test "the settings say where to and in which format" do
      settings = Struct.new(:logger, :log_format, :log_level)
      io = StringIO.new
      logger = Logger.new(io, formatter: ->(*, message) { message })

      Log.for(settings.new(logger, :json, :warn), role: :mold, generation: 1).debug("up")
      assert_equal "role=mold gen=1 pid=#{Process.pid} msg=up", io.string

      _, line = capture_io { Log.for(settings.new(nil, :json, :info), role: :mold).info("up") }
      assert_equal "mold", JSON.parse(line)["role"]
      _, line = capture_io { Log.for(settings.new(nil, :json, :warn), role: :mold).info("up") }
      assert_empty line
    end

    test "each line has its priority where the journal of systemd reads it" do
      lines = written_to_journal(0) do |log|
        log.warn("one")
        log.exception("two", failure)
      end

      assert_equal [4, *[3] * (lines.size - 1)], lines.map { |line| Integer(line[/\A<(\d)>/, 1]) }
      assert_operator lines.size, :>, 2 # the backtrace has lines of its own
      assert_match(/\A\d{4}-/, written_to_journal(1) { |log| log.warn("elsewhere") }.first)
    end

    test "what stands before the place gets entries that have their time" do
      io = StringIO.new
      kept = []
      holder = Struct.new(:output, :kept) { def emit(entry) = kept << entry }
      settings = Struct.new(:logger, :log_format, :log_level).new(nil, :text, :info)
      capture_io { Log.for(settings, role: :monitor) { |place| holder.new(place, kept) }.info { "up" } }

      assert_equal ["up", :info], [kept.first.message, kept.first.level], io.string
      assert_operator kept.first.time, :<=, Time.now.utc
    end

    test "a line outside of the log has its priority at the journal only" do
      IO.pipe do |_reader, writer|
        line = -> { Log::PlainLine.of("first\n  second", io: writer) }
        assert_equal ["<3>coppice: first\n<3>  second", "coppice: first\n  second"],
          [0, 1].map { |distance| at_journal(writer, distance, &line) }
      end
    end

    test "it loads and writes both formats without RubyGems or any library" do
      script = 'before = $LOADED_FEATURES.size; require "coppice/log"; ' \
               "%i[text json].each { |format| " \
               'Coppice::Log.new($stdout, format: format, role: :monitor).info("up") }; ' \
               'print $LOADED_FEATURES.drop(before).reject { |path| path.include?("/coppice/") }'
      out, status = Open3.capture2({ "RUBYOPT" => nil }, RbConfig.ruby, "--disable-gems", "-Ilib", "-e", script)

      assert status.success?
      assert_match(/msg=up\n.*"msg":"up"}\n\[\]\z/, out)
    end

    private

    def text(**options, &block)
      written(:text, **options, &block)
    end

    def json(**options, &block)
      written(:json, **options, &block)
    end

    def written(format, **options)
      io = StringIO.new
      yield Log.new(io, format: format, role: :worker, nr: 3, generation: 2, **options)
      io.string
    end

    # The lines at an IO; the variable of systemd says the same IO, or another one by so many inodes.
    def written_to_journal(distance)
      IO.pipe do |reader, writer|
        at_journal(writer, distance) { yield Log.new(writer, role: :monitor) }
        writer.close
        reader.readlines
      end
    end

    def at_journal(io, distance)
      stat = io.stat
      ENV["JOURNAL_STREAM"] = "#{stat.dev}:#{stat.ino + distance}"
      yield
    ensure
      ENV.delete("JOURNAL_STREAM")
    end

    def failure
      raise ArgumentError, "first"
    rescue ArgumentError
      begin
        raise "second\nline"
      rescue RuntimeError => e
        e
      end
    end
  end
end
