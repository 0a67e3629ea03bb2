# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/fork_safety/audit"

module Coppice
  module ForkSafety
    class AuditTest < TestCase
      SEED = Integer(ENV.fetch("AUDIT_SEED", 20_261_122))
      PLACES = Array.new(8) { |number| "/app/lib/job#{number}.rb:1" } + [nil]

      def entry(place, name: nil) = ThreadCensus::Entry.new(name || place || "cron", place, 7)
      def census(threads, natives = []) = ThreadCensus.new(1, threads, natives)

      def draw(random)
        PLACES.sample(random.rand(5), random: random).flat_map { |place| [entry(place)] * (1 + random.rand(3)) }
      end

      test "in random families each thread that no longer exists is found once, and no other" do
        random = Random.new(SEED)
        500.times do
          ancestors = Array.new(1 + random.rand(3)) { draw(random) }
          present = draw(random)
          findings = Audit.compare(ancestors.map { |threads| census(threads) }, present)
          missing = ancestors.flatten.map(&:key).uniq - present.map(&:key)

          assert_equal missing.size, findings.size, "AUDIT_SEED=#{SEED}"
          assert_equal [:missing_thread], findings.map(&:kind).uniq unless missing.empty?
          missing.compact.each { |key| assert(findings.any? { |finding| finding.owner.include?(key) }) }
        end
      end

      test "a thread that has another name, and was started at the same place, was started again" do
        ancestors = [census([entry("/app/pool.rb:3", name: "pool-1")])]

        assert_empty Audit.compare(ancestors, [entry("/app/pool.rb:3", name: "pool-7")])
      end

      test "as many threads as were started on other lines of a file were started again" do
        ancestors = [[3, 3], [5, 5]].map { |lines| census(lines.map { |line| entry("/app/timer.rb:#{line}") }) }
        again = entry("/app/timer.rb:9")

        assert_empty Audit.compare(ancestors, [again, again])
        assert_equal 2, Audit.compare(ancestors, [again]).size
        assert_equal 2, Audit.compare(ancestors, [entry("/app/other.rb:9")] * 2).size
      end

      test "threads from one place are one finding, with their number" do
        ancestors = [census([entry("/app/pool.rb:3", name: "pool-1"), entry("/app/pool.rb:3", name: "pool-2")])]
        finding, *others = Audit.compare(ancestors, [])

        assert_empty others
        assert_equal ["pool-1 /app/pool.rb:3", "2 threads"], [finding.owner, finding.detail]
      end

      test "a native thread is found, whatever runs in the new process" do
        native = entry(nil, name: "rdk:main")
        finding, *others = Audit.compare([census([], [native])], [native])

        assert_empty others
        assert_equal [:native_thread, "rdk:main", nil], finding.to_a
      end

      test "of a native thread without a name it is told which library has such threads" do
        native = entry(nil, name: File.read("/proc/self/comm").chomp)
        findings = [["mini_racer"], ["other"]].map do |gems|
          presets = gems.map { |gem| Preset.new(gem: gem, constant: "String", unnamed_threads: gem == "mini_racer") }
          Presets.stub(:activated, presets) { Audit.compare([census([], [native, native])], []).first }
        end

        assert_equal ["2 threads, probably of mini_racer, whose own advice goes first", "2 threads"],
          findings.map(&:detail)
        assert_same true, Presets[:mini_racer].unnamed_threads
      end

      test "of a native thread without a name it is told whether there were Ractors" do
        native = entry(nil, name: File.read("/proc/self/comm").chomp)
        details = [0, 1, 2].map do |ractors|
          census = ThreadCensus.new(Process.pid, [], [native], ractors: ractors)
          Presets.stub(:activated, []) { Audit.compare([census, census([])], []).first.detail }
        end

        assert_equal [nil, "perhaps of a Ractor (1 exists)", "perhaps of a Ractor (2 exist)"], details
      end

      test "the place of a thread names the gem" do
        path = "/usr/lib/ruby/gems/3.4.0/gems/some-thing-1.2.3/lib/some/thing.rb:12"

        assert_equal "some-thing-1.2.3/lib/some/thing.rb:12", Finding.short_place(path)
        assert_equal "lib/own.rb:1", Finding.short_place("#{Dir.pwd}/lib/own.rb:1")
      end

      test "a place in a folder that was deleted is named in full" do
        Dir.stub(:pwd, -> { raise Errno::ENOENT }) do
          assert_equal "/app/own.rb:1", Finding.short_place("/app/own.rb:1")
        end
      end

      test "a message is bounded" do
        audit = Audit.new
        many = Array.new(100) { |line| entry("/app/#{'long' * 100}.rb:#{line}") }
        audit.censuses << ThreadCensus.new(Process.pid, many.each { |thread| thread.native_id = nil }, [])
        findings = audit.findings

        assert_equal Audit::MOST, findings.size
        assert_operator findings.map { |finding| finding.owner.size }.max, :<=, Audit::LENGTH
      end

      test "each kind has its message and its remedy, and the documentation explains it" do
        text = File.read(File.expand_path("../../../docs/fork_safety.md", __dir__))

        assert_includes text, "## The fork audit"
        Finding::KINDS.each do |name, kind|
          assert_includes text, "`#{name}`"
          refute_empty kind.message
          refute_empty kind.remedy
        end
      end
    end
  end
end
