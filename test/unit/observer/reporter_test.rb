# frozen_string_literal: true

require "stringio"
require "test_helper"
require "coppice"
require "coppice/log"
require "coppice/observer/reporter"

module Coppice
  class Observer
    # What the hook on_stats gets.
    class ReporterTest < TestCase
      SEEN = Thread::Queue.new
      CONFIG = "on_stats { |stats| Coppice::Observer::ReporterTest::SEEN << stats; sleep }"

      def service(board)
        board.rows_count = 1
        board.row(0).tap do |row|
          row.assign(role: :service, nr: nil, generation: 0)
          row.pid = Process.pid
          row.measured_ms = row.rss_kib = 1
        end
      end

      test "the memory of a service is that of this moment, not of its start" do
        board = Board.create
        service(board)
        with_tmpdir do |folder|
          File.write("#{folder}/coppice.rb", CONFIG)
          wire = { values: { stats_interval: 0 }, ruby_flags: [], config_file: "#{folder}/coppice.rb" }
          reporter = Thread.new { Reporter.new(board, wire, Log.new(StringIO.new, role: :observer)).call }
          stats = eventually { SEEN.pop(true) unless SEEN.empty? }

          assert_operator stats[:memory][:rss], :>, 1024
          assert_operator stats[:processes].first[:measured_age], :<, 60
        ensure
          reporter.kill.join
        end
      ensure
        board.close
      end
    end
  end
end
