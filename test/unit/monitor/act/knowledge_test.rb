# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/config/settings"
require "coppice/log"
require "coppice/monitor/act/knowledge"
require "coppice/release"
require "stringio"

module Coppice
  class Monitor
    class KnowledgeTest < TestCase
      Worker = Struct.new(:row, :rehearsing?) do
        def to_log = { child: :worker }
      end
      Row = Struct.new(:allocations)

      test "what a worker has measured counts at once, and at the next start" do
        with_state do |state|
          knowledge = knowledge(state)
          knowledge.keep_measurement(worker(4000))
          knowledge.finish

          assert_equal GCProfile::MEASURED, knowledge.fitted.origin
          assert_equal [GCProfile::MEASURED_BEFORE, knowledge.fitted.variables], knowledge(state).fitted.to_a.reverse
        end
      end

      test "without a thread left it is written the next time" do
        with_state do |state|
          knowledge = knowledge(state)
          Thread.stub(:new, ->(*) { raise ThreadError, "no thread left" }) { knowledge.keep_measurement(worker(4000)) }

          assert_nil knowledge(state).fitted
          knowledge.write
          knowledge.finish

          assert_equal GCProfile::MEASURED_BEFORE, knowledge(state).fitted.origin
        end
      end

      test "of several workers the one that has measured most counts; a rehearsed one always does" do
        knowledge = knowledge(nil)
        kept = [worker(4000), worker(10), worker(10, rehearsed: true), worker(9000)].map do |measured|
          knowledge.keep_measurement(measured)
          knowledge.fitted.variables
        end

        assert_equal kept[0], kept[1]
        assert_equal 3, kept.uniq.size
      end

      test "clients' requests replace rehearsed ones that are like them, and health checks do not" do
        knowledge = knowledge(nil)
        kept = [worker(4000, rehearsed: true), worker(10), worker(3000), worker(2900)].map do |measured|
          knowledge.keep_measurement(measured)
          knowledge.fitted.variables
        end

        assert_equal kept[0], kept[1]
        refute_equal kept[1], kept[2]
        assert_equal kept[2], kept[3]
      end

      test "beside a committed profile nothing is measured" do
        with_state do |state|
          knowledge = knowledge(state, measures: false)
          knowledge.keep_measurement(worker(4000))
          knowledge.finish

          assert_nil knowledge.fitted
          assert_empty Dir.children(state.directory)
        end
      end

      test "nor is a release measured that brings such a profile" do
        with_tmpdir do |folder|
          Dir.mkdir("#{folder}/config")
          File.write("#{folder}/#{GCProfile::FILE}", "")
          knowledge = knowledge(nil)
          knowledge.adopt(release(folder))
          knowledge.keep_measurement(worker(4000))
          knowledge.finish

          assert_nil knowledge.fitted
          assert_equal ["config"], Dir.children(folder)
        end
      end

      test "a measurement that the application has spoiled is logged, and no more" do
        knowledge = knowledge(nil)
        knowledge.keep_measurement(Worker.new(Row.new("spoiled"), false))

        assert_nil knowledge.fitted
        assert_match(/a worker's measurement cannot be read/, @log.string)
      end

      test "paths are added to those of earlier servers, of which half remains" do
        with_state do |state|
          state.keep_paths({ "/" => 100, "/old" => 50, "/rare" => 1 })
          knowledge = knowledge(state, learns: true)
          knowledge.add_paths({ "/" => 20, "/new" => 60 })
          knowledge.finish

          assert_equal ["/", "/new", "/old"], knowledge.learned
          assert_equal({ "/" => 70, "/new" => 60, "/old" => 25 }, state.paths)
        end
      end

      test "there are no more than ten, and what clients request now comes first" do
        with_state do |state|
          state.keep_paths(("a".."j").zip(39.downto(30)).to_h { |name, count| ["/#{name}", count] })
          knowledge = knowledge(state, learns: true)
          knowledge.add_paths(("p".."s").zip(64.downto(61)).to_h { |name, count| ["/#{name}", count] })

          assert_equal %w[/p /q /r /s /a /b /c /d /e /f], knowledge.learned
        end
      end

      test "without news nothing is written" do
        with_state do |state|
          knowledge = knowledge(state, learns: true)
          knowledge.write
          knowledge.finish

          assert_empty Dir.children(state.directory)
        end
      end

      # The state of a disk that waits for the test.
      class SlowState < State
        attr_reader :began, :disk

        def initialize(...)
          super
          @began, @disk = Queue.new, Queue.new
        end

        def keep_measurement(allocations)
          @began << true
          @disk.pop
          super
        end
      end

      test "what a release has measured is not kept for the release after it, on a slow disk either" do
        with_tmpdir do |folder|
          before = SlowState.new("#{folder}/1", key: "k")
          knowledge = knowledge(before, learns: true)
          knowledge.add_paths({ "/" => 100 })
          knowledge.keep_measurement(worker(4000))
          BoundedWait.pop(before.began)
          knowledge.keep_measurement(worker(9000))
          knowledge.adopt(release("#{folder}/2"))
          before.disk << true
          knowledge.finish

          assert_equal({ "/" => 100 }, before.paths)
          refute_path_exists "#{folder}/2"
        end
      end

      test "what a release with another Ruby has measured is kept for that Ruby" do
        with_tmpdir do |folder|
          knowledge = knowledge(nil)
          knowledge.adopt(release(folder, interpreter: "ruby=9.9.9p9 platform=other"))
          knowledge.keep_measurement(worker(4000))
          knowledge.finish

          assert_match(/\Aruby=9\.9\.9p9 platform=other coppice=/, File.readlines("#{folder}/#{State::MEASURED}")[1])
        end
      end

      test "a directory that cannot be written to costs one line" do
        with_tmpdir do |folder|
          File.write("#{folder}/file", "")
          knowledge = knowledge(State.new("#{folder}/file/below", key: "k"), learns: true)
          2.times do
            knowledge.add_paths({ "/" => 1 })
            knowledge.finish
          end

          assert_equal 1, @log.string.scan("cannot keep what was measured").size
        end
      end

      test "a spoiled file costs one line" do
        with_state do |state|
          File.write("#{state.directory}/#{State::PATHS}", "spoiled")

          assert_empty knowledge(state, learns: true).learned
          assert_match(/a file of the state directory is not used.*coppice\.paths.*it is spoiled/, @log.string)
        end
      end

      private

      def knowledge(state, measures: true, learns: false)
        Knowledge.new(state, log: Log.new(@log ||= StringIO.new, role: :monitor), measures: measures, learns: learns,
          price: 2)
      end

      def release(directory, interpreter: State::INTERPRETER)
        settings = Config::Settings.new(hooks: {}, services: [], values: { state_directory: directory })
        Release.new(number: 2, directory: directory, settings: settings, environment: {}, interpreter: interpreter)
      end

      def worker(objects, rehearsed: false)
        allocations = "requests=64 cpu_us=9000 minor_us=1200 malloc=70000 promoted=9 largest=9 40:#{objects}/190000"
        Worker.new(Row.new(allocations), rehearsed)
      end

      def with_state
        with_tmpdir { |folder| yield State.new(folder, key: "k") }
      end
    end
  end
end
