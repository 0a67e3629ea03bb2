# frozen_string_literal: true

require "test_helper"
require "support/sanitizer_reports"

module Coppice
  class SanitizerReportsTest < TestCase
    LEAKS = <<~TEXT

      =================================================================
      ==42==ERROR: LeakSanitizer: detected memory leaks

      Direct leak of 64 byte(s) in 1 object(s) allocated from:
          #0 0x7f in __interceptor_malloc ../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
          #1 0x7f  (/lib/x86_64-linux-gnu/libruby-3.1.so.3.1+0xd8483)
          #2 0x7f in connection_env /home/me/coppice/ext/coppice/client/env.c:200

      Indirect leak of 32 byte(s) in 1 object(s) allocated from:
          #0 0x7f in __interceptor_realloc ../../src/libsanitizer/asan/asan_malloc_linux.cpp:85
          #1 0x7f in coppice_byte_buffer_reserve ../../../ext/coppice/shared/byte_buffer.c:12

      SUMMARY: AddressSanitizer: 96 byte(s) leaked in 2 allocation(s).
    TEXT

    OVERFLOW = <<~TEXT
      =================================================================
      ==43==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000010 at pc 0x7f bp 0x7f sp 0x7f
          #0 0x7f in __interceptor_memcpy ../../src/libsanitizer/sanitizer_common/interceptors.inc:827
    TEXT

    STILL_RUNNING = "==44==Running thread 45 was not suspended. False leaks are possible.\n"

    test "of the leaks those count that our own code asked memory for" do
      assert_equal ["Indirect leak of 32 byte(s) in 1 object(s) allocated from:"],
        findings(LEAKS).map { |text| text.lines.first.chomp }
    end

    test "whatever else was found counts" do
      assert_equal [OVERFLOW.chomp], findings(OVERFLOW, STILL_RUNNING)
    end

    test "a report that was cut off before it said anything is no finding" do
      assert_empty findings(LEAKS.lines.first(2).join)
    end

    test "a run that leaves no report found nothing" do
      assert_empty findings
    end

    private

    def findings(*reports)
      with_tmpdir do |folder|
        reports.each.with_index { |text, pid| File.write(File.join(folder, "report.#{pid}"), text) }
        SanitizerReports.new(folder).findings
      end
    end
  end
end
