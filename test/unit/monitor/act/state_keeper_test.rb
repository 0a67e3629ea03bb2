# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/config/settings"
require "coppice/log"
require "coppice/monitor/act/state_keeper"
require "coppice/release"
require "stringio"

module Coppice
  class Monitor
    class StateKeeperTest < TestCase
      Worker = Struct.new(:row, :rehearsing?) do
        def to_log = { child: :worker }
      end
      Row = Struct.new(:allocations)

      test "what a worker has measured counts at once, and at the next start" do
        with_state do |state|
          keeper = keeper(state)
          keeper.keep_measurement(worker(4000))
          keeper.finish

          assert_equal GCProfile::MEASURED, keeper.fitted.origin
          assert_equal [GCProfile::MEASURED_BEFORE, keeper.fitted.variables], keeper(state).fitted.to_a.reverse
        end
      end

      test "without a thread left it is written the next time" do
        with_state do |state|
          keeper = keeper(state)
          Thread.stub(:new, ->(*) { raise ThreadError, "no thread left" }) { keeper.keep_measurement(worker(4000)) }

          assert_nil keeper(state).fitted
          keeper.write
          keeper.finish

          assert_equal GCProfile::MEASURED_BEFORE, keeper(state).fitted.origin
        end
      end

      test "of several workers the one that has measured most counts; a rehearsed one always does" do
        keeper = keeper(nil)
        kept = [worker(4000), worker(10), worker(10, rehearsed: true), worker(9000)].map do |measured|
          keeper.keep_measurement(measured)
          keeper.fitted.variables
        end

        assert_equal kept[0], kept[1]
        assert_equal 3, kept.uniq.size
      end

      test "clients' requests replace rehearsed ones that are like them, and health checks do not" do
        keeper = keeper(nil)
        kept = [worker(4000, rehearsed: true), worker(10), worker(3000), worker(2900)].map do |measured|
          keeper.keep_measurement(measured)
          keeper.fitted.variables
        end

        assert_equal kept[0], kept[1]
        refute_equal kept[1], kept[2]
        assert_equal kept[2], kept[3]
      end

      test "beside a committed profile nothing is measured" do
        with_state do |state|
          keeper = keeper(state, measures: false)
          keeper.keep_measurement(worker(4000))
          keeper.finish

          assert_nil keeper.fitted
          assert_empty Dir.children(state.directory)
        end
      end

      test "a measurement that the application has spoiled is logged, and no more" do
        keeper = keeper(nil)
        keeper.keep_measurement(Worker.new(Row.new("spoiled"), false))

        assert_nil keeper.fitted
        assert_match(/a worker's measurement cannot be read/, @log.string)
      end

      test "paths are added to those of earlier servers, of which half remains" do
        with_state do |state|
          state.keep_paths({ "/" => 100, "/old" => 50, "/rare" => 1 })
          keeper = keeper(state, learns: true)
          keeper.add_paths({ "/" => 20, "/new" => 60 })
          keeper.finish

          assert_equal ["/", "/new", "/old"], keeper.learned
          assert_equal({ "/" => 70, "/new" => 60, "/old" => 25 }, state.paths)
        end
      end

      test "there are no more than ten, and what clients request now comes first" do
        with_state do |state|
          state.keep_paths(("a".."j").zip(39.downto(30)).to_h { |name, count| ["/#{name}", count] })
          keeper = keeper(state, learns: true)
          keeper.add_paths(("p".."s").zip(64.downto(61)).to_h { |name, count| ["/#{name}", count] })

          assert_equal %w[/p /q /r /s /a /b /c /d /e /f], keeper.learned
        end
      end

      test "without news nothing is written" do
        with_state do |state|
          keeper = keeper(state, learns: true)
          keeper.write
          keeper.finish

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
          keeper = keeper(before, learns: true)
          keeper.add_paths({ "/" => 100 })
          keeper.keep_measurement(worker(4000))
          BoundedWait.pop(before.began)
          keeper.keep_measurement(worker(9000))
          keeper.adopt(release("#{folder}/2"))
          before.disk << true
          keeper.finish

          assert_equal({ "/" => 100 }, before.paths)
          refute_path_exists "#{folder}/2"
        end
      end

      test "what a release with another Ruby has measured is kept for that Ruby" do
        with_tmpdir do |folder|
          keeper = keeper(nil)
          keeper.adopt(release(folder, interpreter: "ruby=9.9.9p9 platform=other"))
          keeper.keep_measurement(worker(4000))
          keeper.finish

          assert_match(/\Aruby=9\.9\.9p9 platform=other coppice=/, File.readlines("#{folder}/#{State::MEASURED}")[1])
        end
      end

      test "a directory that cannot be written to costs one line" do
        with_tmpdir do |folder|
          File.write("#{folder}/file", "")
          keeper = keeper(State.new("#{folder}/file/below", key: "k"), learns: true)
          2.times do
            keeper.add_paths({ "/" => 1 })
            keeper.finish
          end

          assert_equal 1, @log.string.scan("cannot keep what was measured").size
        end
      end

      test "a spoiled file costs one line" do
        with_state do |state|
          File.write("#{state.directory}/#{State::PATHS}", "spoiled")

          assert_empty keeper(state, learns: true).learned
          assert_match(/a file of the state directory is not used.*coppice\.paths.*it is spoiled/, @log.string)
        end
      end

      private

      def keeper(state, measures: true, learns: false)
        StateKeeper.new(state, log: Log.new(@log ||= StringIO.new, role: :monitor), measures: measures, learns: learns,
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
