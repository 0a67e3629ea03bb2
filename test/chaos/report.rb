# frozen_string_literal: true

require_relative "faults/user_signal"

module Chaos
  # The totals of all lives.
  class Report
    def initialize
      @lives = 0
      @lost = 0
      @faults = Hash.new(0)
      @answers = Hash.new(0)
      @causes = Hash.new(0)
      @recoveries = []
    end

    # Adds a life; returns a summary in one line.
    #: (Life) -> String
    def add(life)
      @lives += 1
      @lost += life.lost
      @recoveries.concat(life.recoveries)
      life.done.tally.each { |name, count| @faults[name] += count }
      life.answers.each { |status, count| @answers[status] += count }
      life.causes.each { |why, count| @causes[why] += count }
      "#{life.done.size} faults, #{life.answers.values.sum} responses, #{life.lost} lost, #{life.done.last}"
    end

    #: () -> String
    def to_s
      <<~TEXT

        #{table('faults', @faults)}

        #{table('deaths in the log, by cause', @causes)}

        #{table('responses, by status', @answers)}

        chaos: #{count_faults} faults in #{@lives} lives, #{@answers.values.sum} responses; #{@lost} requests lost, each by \
        a process that a fault hit or at the end; recovery took #{seconds(median)} (at most #{seconds(@recoveries.max)})
      TEXT
    end

    private

    # Signals that a user may send are not faults.
    def count_faults = @faults.reject { |name, _| name.start_with?(Faults::UserSignal::NAME) }.values.sum

    def table(title, counts)
      sorted = counts.sort_by { |name, count| [-count, name.to_s] }
      [title, *sorted.map { |name, count| "#{count.to_s.rjust(7)}  #{name}" }].join("\n")
    end

    def median = @recoveries.sort[@recoveries.size / 2]

    def seconds(value) = value ? format("%.2f s", value) : "-"
  end
end
