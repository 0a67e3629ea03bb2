# frozen_string_literal: true

module Coppice
  # What sanitizers have found in the processes of a run: each that found something left a file.
  #
  # Ruby gives back nothing when it ends but what extensions own, so of the leaks only those count that our own code
  # asked memory for (test/support/plain_malloc.h): frame 0 is malloc, frame 1 who called it.
  class SanitizerReports
    LEAK = /^(?:Direct|Indirect) leak of /
    OUR_LEAK = %r{^    #1 .*/ext/coppice/}
    # A process that is killed while it reports leaks may have written the line in front of them only.
    AROUND_LEAKS = /\A(?:=+\z|=+\n==\d+==ERROR: LeakSanitizer: |SUMMARY: AddressSanitizer: .* leaked)/
    # The sanitizer says this of threads of processes that it did not fork.
    LEFT_RUNNING = /^==\d+==Running thread \d+ was not suspended\..*\n?/
    private_constant :LEAK, :OUR_LEAK, :AROUND_LEAKS, :LEFT_RUNNING

    def initialize(folder) #: (String) -> void
      @folder = folder
    end

    # The paragraphs that speak of our code.
    def findings #: () -> Array[String]
      Dir[File.join(@folder, "*")].flat_map do |path|
        paragraphs = File.read(path).scrub.gsub(LEFT_RUNNING, "").strip.split(/\n{2,}/)
        paragraphs.select { |text| counts?(text) }
      end
    end

    private

    def counts?(paragraph)
      return false if paragraph.match?(AROUND_LEAKS)

      !paragraph.match?(LEAK) || paragraph.match?(OUR_LEAK)
    end
  end
end

if $PROGRAM_NAME == __FILE__
  findings = Coppice::SanitizerReports.new(ARGV.fetch(0)).findings
  total = findings.empty? ? "nothing found" : "#{findings.size} findings"
  puts findings.uniq.map { |text| "#{text}\n\n" }, "sanitizers: #{total}"
  exit findings.empty?
end
