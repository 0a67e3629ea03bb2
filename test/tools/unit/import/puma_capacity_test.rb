# frozen_string_literal: true

require "test_helper"
require_relative "../../../support/imports"

module Coppice
  module Import
    # What becomes of the workers of a configuration for Puma, each of which has threads.
    class PumaCapacityTest < TestCase
      include Imports

      FILE = "config/puma.rb"

      test "workers with threads become a range that serves as many requests at once" do
        { "workers 4\nthreads 1, 4" => "2..16", "threads 5\nworkers 2" => "2..10", "workers 1\nthreads 2" => "2..2",
          "n = 3\nworkers '2'\nthreads n, n" => "2..6", "workers 100\nthreads 64" => "2..1024" }
          .each do |text, range|
            assert_match(/^worker_processes #{Regexp.escape(range)}$/, translated(text))
            assert_instance_of Range, evaluate(translated(text)).values[:worker_processes] unless range == "2..2"
          end
        assert_includes note("workers 4\nthreads 1, 4", :workers), "while requests wait up to 16 = 4 × 4, which"
      end

      test "numbers that are known only later are multiplied then" do
        ENV["CAPACITY_TEST"] = "7"
        { "Integer(ENV['CAPACITY_TEST'] || 2)" => 7, "ENV['CAPACITY_TEST'].to_i" => 7, "ENV['NONE'].to_i" => 0,
          "1 + 1" => 2, "ENV.fetch('WEB_CONCURRENCY') { 3 }" => 3, "Integer(ENV['WEB_CONCURRENCY'] || 4)" => 4 }
          .each do |workers, count|
            text = "workers #{workers}\nmost = ENV.fetch('CAPACITY_TEST', 5)\nthreads 1, most"
            assert_equal count.zero? ? 2 : 2..(count * 7), evaluate(translated(text)).values[:worker_processes], text
          end
      ensure
        ENV.delete("CAPACITY_TEST")
      end

      test "what the variable of the environment replaces is not read, so that it may be a range" do
        text = "workers Integer(ENV['WEB_CONCURRENCY'] || 4)\nthreads ENV.fetch('NONE', 5)"
        assert_equal "worker_processes 2..(4 * Integer(ENV.fetch('NONE', 5))).clamp(2, 1024)", translated(text)
      end

      test "the number stays where a condition decides, or where more than that is not known" do
        { "workers 2\nthreads 1" => "2", "workers 2 if a\nthreads 5" => "2 if a",
          "workers 2\nthreads 5 if a" => "2", "workers 2\nthreads 5\nthreads 6" => "2",
          "workers 2\nthreads most" => "2", "workers 2\nthreads(*most)" => "2",
          "b = ENV.fetch('A', 3)\nmost = b\nworkers 2\nthreads most" => "2", "workers :auto\nthreads 5" => ":auto",
          "workers 0\nthreads 5" => ":auto",
          "workers ENV.fetch('N', 2)\nthreads 5" => "Integer(ENV.fetch('N', 2), exception: false) || :auto" }
          .each { |text, value| assert_equal "worker_processes #{value}", translated(text) }
      end

      test "the report says then how many requests Puma served at once, and says it once" do
        { "workers 2" => "up to 2 × 5 requests at once, each worker here serves one: for as many write " \
                         "`worker_processes 2..10`",
          "workers 2 if a\nthreads 1, 4" => "write `worker_processes 2..8`",
          "workers n\nthreads 4" => "up to workers × 4 requests at once, each worker here serves one: for as many " \
                                    "write that number in `worker_processes 2..N`" }
          .each { |text, remark| assert_includes note(text, :workers), remark }
        refute_includes note("workers 2\nthreads 1", :workers), "at once"

        remarks = notes("if production\n  workers 4\nelse\n  workers 2\nend\nthreads 5, 5", :workers)
        assert_equal [true, false], remarks.map { |remark| remark.include?("workers × 5 requests at once") }
      end
    end
  end
end
