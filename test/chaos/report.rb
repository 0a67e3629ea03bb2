# frozen_string_literal: true

require_relative "faults/asked"

module Chaos
  # The sum of all lives.
  class Report
    def initialize
      @lives = 0
      @lost = 0
      @faults = Hash.new(0)
      @answers = Hash.new(0)
      @causes = Hash.new(0)
      @recoveries = []
    end

    # Takes in a life; answers it in one line.
    #: (Life) -> String
    def add(life)
      @lives += 1
      @lost += life.lost
      @recoveries.concat(life.recoveries)
      life.done.tally.each { |name, count| @faults[name] += count }
      life.answers.each { |status, count| @answers[status] += count }
      life.causes.each { |why, count| @causes[why] += count }
      "#{life.done.size} faults, #{life.answers.values.sum} answers, #{life.lost} lost, #{life.done.last}"
    end

    #: () -> String
    def to_s
      <<~TEXT

        #{table('faults', @faults)}

        #{table('deaths in the log, by cause', @causes)}

        #{table('answers, by status', @answers)}

        chaos: #{count_faults} faults in #{@lives} lives, #{@answers.values.sum} answers; #{@lost} requests lost, each by a process \
        that was hit or at the end; whole again after #{seconds(median)} (at most #{seconds(@recoveries.max)})
      TEXT
    end

    private

    # Without what a user may well ask for.
    def count_faults = @faults.reject { |name, _| name.start_with?(Faults::Asked::NAME) }.values.sum

    def table(title, counts)
      lines = counts.sort_by { |name, count| [-count, name.to_s] }.map { |name, count| "#{count.to_s.rjust(7)}  #{name}" }
      [title, *lines].join("\n")
    end

    def median = @recoveries.sort[@recoveries.size / 2]

    def seconds(value) = value ? format("%.2f s", value) : "-"
  end
end
