# frozen_string_literal: true

module Coppice
  # What the runner prints: a line for each process, with an excerpt where it has failed, because the run may be ended
  # before it has run all; then the whole output of each that failed; and at the end, where readers of a long log look
  # first, what cost much, what was unsteady, and an excerpt of what failed. The last line counts the tests and names
  # those that failed.
  class TestReport
    COSTLY = 5.0 # seconds of the processors from which on a process is listed: its own seconds say little beside others

    def initialize(out, folder) #: (IO, String) -> void
      @out = out
      @folder = folder
      @notes = {}.compare_by_identity # result => what the machine did meanwhile
    end

    def begin(seed) = @out.puts("seed #{seed}") #: (Integer) -> void

    # stall: the longest time that the machine stood still meanwhile, in seconds.
    def file(result, stall) #: (TestResult, Float) -> void
      note_machine(result, stall) if result.failed?
      counts = "#{result.passed} passed"
      counts += ", #{result.failed} FAILED" if result.failed?
      counts += ", #{result.skipped} skipped" if result.skipped.positive?
      line = format("%<seconds>6.1f s  %<name>s: %<counts>s",
        seconds: result.seconds, name: name(result), counts: counts)
      # At once: several threads write.
      @out.write([line, *(excerpt(result) if result.failed?)].map { |text| "#{text}\n" }.join)
    end

    def again(results) #: (Array[TestResult]) -> void
      @out.puts "", "once more, alone: #{results.map { |result| name(result) }.join(' ')}" if results.any?
    end

    # unsteady: the first results of the files that passed when they ran again.
    def conclude(results, unsteady) #: (Array[TestResult], Array[TestResult]) -> void
      failed = results.select(&:failed?)
      [*failed, *unsteady].each { |result| print_output(result) }
      print_costly(results + unsteady)
      unsteady.each { |result| print_excerpt("UNSTEADY", result) }
      failed.each { |result| print_excerpt("FAILED", result) }
      print_sum(results, failed, unsteady)
    end

    private

    def note_machine(result, stall)
      load = File.read("/proc/loadavg")[/\S+/]
      @notes[result] = format("%<seconds>.1f s, machine load %<load>s, longest stall %<stall>.1f s",
        seconds: result.seconds, load: load, stall: stall)
    rescue Errno::ENOENT # not on Linux
      @notes[result] = format("%.1f s", result.seconds)
    end

    def print_output(result)
      @out.puts "", "== #{name(result)}#{": #{result.problem}" if result.problem}", result.output
    end

    def print_costly(results)
      costly = results.select { |result| result.processor >= COSTLY }.sort_by { |result| -result.processor }
      return if costly.empty?

      @out.puts "", "above #{COSTLY.to_i} s of the processors, and how long it took:"
      costly.each do |result|
        @out.puts format("%<processor>6.1f s  %<seconds>6.1f s  %<name>s",
          processor: result.processor, seconds: result.seconds, name: name(result))
      end
    end

    def print_excerpt(verdict, result)
      @out.puts "", "#{verdict} #{name(result)}: #{what_failed(result)} (#{@notes[result]})"
      @out.puts(excerpt(result))
    end

    def excerpt(result) = result.excerpt.map { |line| "  #{line[0, 300]}" }

    # On one line, because a program that runs this may show the last one only.
    def print_sum(results, failed, unsteady)
      @out.puts "" if failed.any? || unsteady.any?
      counts = "#{results.sum(&:passed)} passed, #{results.sum(&:failed)} failed, #{results.sum(&:skipped)} skipped"
      counts += ", #{unsteady.size} unsteady" if unsteady.any?
      named = [*failed, *unsteady].map { |result| "#{name(result)} (#{what_failed(result)})" }
      @out.puts [counts, *named].join("; ")
    end

    def what_failed(result) = [result.problem, *result.failed_tests].compact.join(", ")

    # As a shell takes it.
    def name(result)
      first, *others = result.paths.map { |path| path.delete_prefix("#{@folder}/") }
      return first if others.empty?

      "#{File.dirname(first)}/{#{result.paths.map { |path| File.basename(path, '_test.rb') }.join(',')}}_test.rb"
    end
  end
end
