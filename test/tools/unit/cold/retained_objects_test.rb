# frozen_string_literal: true

require "test_helper"
require "open3"
require "coppice/tools/cold/watchers/memos"
require "coppice/tools/cold/watchers/retained_objects"

module Coppice
  module Cold
    # What is kept is kept in many, and what is let go of is let go of one by one: a word that is left on the machine's
    # stack may keep an object alive, and with it all that it holds.
    class RetainedObjectsTest < TestCase
      MANY = 500

      # Keeps.
      module Keeper
        class << self
          attr_accessor :kept
        end
      end

      def teardown
        Keeper.kept = nil
        ObjectSpace.trace_object_allocations_clear
      end

      test "retained objects are listed by the line that allocated them" do
        retained = watched { Keeper.kept = Array.new(MANY) { |number| "kept #{number} #{'.' * 700}" } }
        site = site_in_this_file(retained, __LINE__ - 1)

        assert_equal "String", site.type
        assert_includes MANY..(MANY + 1), site.objects
        assert_operator site.bytes, :>, MANY * 700
        assert_equal site, retained.sites.first
      end

      test "released objects are not listed" do
        retained = watched { MANY.times { |number| "dropped #{number}".reverse } }

        assert_operator objects_in_this_file(retained), :<, MANY / 10
      end

      test "objects that the second play replaces are not listed" do
        retained = watched(second: -> { Keeper.kept.clear }) do
          Keeper.kept = Array.new(MANY) { |number| "replaced #{number}" }
        end

        assert_operator objects_in_this_file(retained), :<, MANY / 10
      end

      test "objects that the second play allocates are not listed" do
        retained = watched(second: -> { Keeper.kept = Array.new(MANY) { |number| "late #{number}" } }) { nil }

        assert_operator objects_in_this_file(retained), :<, MANY / 10
      end

      test "a memoized variable of a module, with the bytes that it keeps alive" do
        memos = Memos.new
        memos.start
        retained = watched { Keeper.kept = Array.new(MANY) { |number| "remembered #{number} #{'.' * 700}" } }
        memos.stop
        memo = memos.found(retained).find { |found| found.name == "#{Keeper.name}.@kept" }

        assert_operator memo.bytes, :>, MANY * 700
        assert_operator memo.bytes, :<=, retained.sites.sum(&:bytes)
        assert_equal __FILE__, memo.file
      end

      test "a variable that was set before is not listed" do
        Keeper.kept = 1
        memos = Memos.new
        memos.start
        Keeper.kept = 2
        memos.stop

        assert_empty(memos.found(RetainedObjects.new).map(&:name).grep(/Keeper/))
      end

      test "Coppice may be in a folder of any name" do
        with_tmpdir do |folder|
          FileUtils.mkdir_p(watchers = "#{folder}/caf\u00E9/coppice/tools/cold/watchers")
          FileUtils.cp(RetainedObjects.instance_method(:start).source_location.first, watchers)
          File.write(program = "#{folder}/caf\u00E9/program.rb", <<~'RUBY')
            require_relative "coppice/tools/cold/watchers/retained_objects"
            retained = Coppice::Cold::RetainedObjects.new
            retained.start
            KEPT = Array.new(9) { Object.new }
            retained.settle
            retained.stop
            puts(retained.sites.any? { |site| File.basename(site.file) == "program.rb" })
          RUBY
          output, = Open3.capture2e(RbConfig.ruby, program)

          assert_equal "true\n", output
        end
      end

      private

      def watched(second: -> {})
        retained = RetainedObjects.new
        retained.start
        yield
        retained.settle
        second.call
        retained.stop
        retained
      end

      def site_in_this_file(retained, line)
        retained.sites.find { |site| site.file == __FILE__ && site.line == line }
      end

      def objects_in_this_file(retained)
        retained.sites.select { |site| site.file == __FILE__ }.sum(&:objects)
      end
    end
  end
end
