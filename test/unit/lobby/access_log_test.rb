# frozen_string_literal: true

require "json"
require "test_helper"
require "support/c_program"

# The lobby's access log and request IDs (ext/coppice/shared/access_*.c, request_ids.c).
class AccessLogTest < Coppice::TestCase
  PROGRAM = Coppice::CProgram.new("access_log_driver", "test/lobby/access_log_driver.c",
    "ext/coppice/shared/{access_log,access_line,request_ids}.c", flags: %w[-Wl,--wrap=pwritev2])
  ALL_BYTES = (0..255).map { |byte| byte.chr.b }.join.freeze
  NAMES = %w[time client method path status bytes queue_ms application_ms worker generation request_id].freeze
  NUMBERS = "status=200 bytes=18446744073709551615 queue_ms=1.500 application_ms=9223372036854775.807 " \
            "worker=3 generation=7"

  test "a line of text has a pair for each value" do
    line = lines("text", ["GET", "/a/b", "4bf92f35"]).first

    assert_equal "time=2026-11-22T12:00:00.123Z client=192.0.2.1 method=GET path=/a/b #{NUMBERS} " \
                 "request_id=4bf92f35\n", line
  end

  test "a line of JSON is one object" do
    object = JSON.parse(lines("json", ["GET", "/a/b", "4bf92f35"]).first)

    assert_equal NAMES, object.keys
    assert_equal ["2026-11-22T12:00:00.123Z", "192.0.2.1", "/a/b", 200, 1.5],
      object.values_at("time", "client", "path", "status", "queue_ms")
  end

  test "what is not known is left out" do
    assert_equal "time=2026-11-22T12:00:00.999Z status=0 bytes=0 cause=\"client gone\"\n", PROGRAM.run("bare", "text")
    assert_equal %w[time status bytes cause], JSON.parse(PROGRAM.run("bare", "json")).keys
  end

  test "no byte of a client's ends a line or looks like another field" do
    ALL_BYTES.each_char.each_slice(64) do |bytes|
      entries = bytes.map { |byte| ["GET", "/#{byte} status=500", byte] }

      lines("text", *entries).each { |line| assert_equal NAMES, names(line), line }
      lines("json", *entries).zip(bytes) do |line, byte|
        assert_equal "/#{byte.force_encoding("ISO-8859-1").encode("UTF-8")} status=500", JSON.parse(line)["path"]
      end
    end
  end

  test "the longest values are cut, and the line is whole" do
    longest = ["\xff".b * 500, "\"\0" * 100_000, "\x80".b * 5000]
    json = JSON.parse(lines("json", longest).first)
    text = lines("text", longest).first

    assert_equal NAMES, json.keys
    assert_equal NAMES, names(text)
    assert_equal(["..."], json.values_at("method", "path", "request_id").map { |value| value[-3..] }.uniq)
    assert_operator text.bytesize, :<=, 4096
  end

  test "a value just short enough is not cut" do
    paths = (2001..2040).map { |letters| "/#{"a" * letters}" }

    lines("json", *paths.map { |path| ["GET", path, ""] }).zip(paths) do |line, path|
      assert_match(/\A(?:#{path}|\/a+\.\.\.)\z/, JSON.parse(line)["path"])
    end
  end

  test "lines that nobody reads are dropped and counted, and those that are read are whole" do
    assert_equal "", PROGRAM.run("pipe")
  end

  test "lines reach a regular file, also where the file system cannot write without waiting" do
    assert_equal "", PROGRAM.run("file")
  end

  test "request IDs are random UUIDs" do
    ids = PROGRAM.run("ids", "1000").lines(chomp: true)

    assert_equal ids.size, ids.uniq.size
    assert_empty ids.grep_v(/\A\h{8}-\h{4}-4\h{3}-[89ab]\h{3}-\h{12}\z/)
  end

  private

  # Entries are method, path and request ID.
  def lines(format, *entries)
    input = entries.map { |texts| "#{texts.map(&:bytesize).join(" ")}\n".b << texts.map(&:b).join }
    PROGRAM.run("lines", format, input: input.join).lines.tap { |lines| assert_equal entries.size, lines.size }
  end

  # Of a line of text, as a reader takes it apart.
  def names(line)
    line.chomp.scan(/\G(\w+)=(?:"(?:[^"\\]|\\.)*"|[^\s"\\=]+)(?: |\z)/n).flatten
  end
end
