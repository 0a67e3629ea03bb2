# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/http_harness"

module Coppice
  # Where a worker keeps a long body that it reads itself.
  class BodyFolderTest < TestCase
    LONG = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n#{"x" * 1000}".freeze

    test "a body that cannot be kept is refused with 507" do
      with_tmpdir do |folder|
        gone = File.join(folder, "gone")
        Dir.mkdir(gone)
        harness = HttpHarness.new(client_body_buffer_size: 10, buffer_directory: gone) { flunk }
        Dir.rmdir(gone)
        answer = harness.serve(LONG)

        assert_equal [507, "507: the body cannot be kept\n"], [answer.status, answer.body]
        assert_includes harness.log.entries.last.last[:why], gone
      end
    end

    test "a long body is in a temporary folder that all may write to, sticky or not" do
      with_tmpdir do |folder|
        [0o777, 0o1777].each do |mode|
          File.chmod(mode, folder)

          assert_equal File.realpath(folder), with_temporary_folder(folder) { folder_of_body }
        end
      end
    end

    test "a long body is in /tmp where TMPDIR names no folder" do
      assert_equal File.realpath("/tmp"), with_temporary_folder("/nonexistent") { folder_of_body }
    end

    test "a long body is in buffer_directory" do
      with_tmpdir do |folder|
        assert_equal File.realpath(folder), folder_of_body(buffer_directory: folder)
      end
    end

    private

    # Of a request with a long body.
    def folder_of_body(**settings)
      folder = nil
      harness = HttpHarness.new(client_body_buffer_size: 10, **settings) do |env|
        assert_equal "x" * 1000, env["rack.input"].read
        folder = File.dirname(File.readlink("/proc/self/fd/#{env["rack.input"].fileno}"))
        [200, {}, []]
      end
      harness.serve(LONG)
      folder
    end

    def with_temporary_folder(path)
      before = ENV.fetch("TMPDIR", nil)
      ENV["TMPDIR"] = path
      yield
    ensure
      ENV["TMPDIR"] = before
    end
  end
end
