# frozen_string_literal: true

require "test_helper"
require "coppice/tools/cold/watchers/definitions"

module Coppice
  module Cold
    class DefinitionsTest < TestCase
      # Answers like something else to what is asked of modules.
      class Liar
        def self.instance_methods(*) = raise("asked")
        def self.constants(*) = raise("asked")
        def self.inspect = raise("asked")
      end

      test "a method with its owner and its location" do
        groups = methods_of("Liar") { Liar.define_method(:lazy) { 1 } }

        assert_equal [["Coppice::Cold::DefinitionsTest::Liar#", [:lazy], __FILE__, __LINE__ - 2]], groups.map(&:to_a)
      end

      test "private methods, and those of a class itself" do
        groups = methods_of("Liar") do
          Liar.class_eval { private def hidden = 1 }
          Liar.define_singleton_method(:own) { 1 }
        end

        assert_equal [["Coppice::Cold::DefinitionsTest::Liar#", [:hidden]],
                      ["Coppice::Cold::DefinitionsTest::Liar.", [:own]]],
          groups.map { |group| [group.owner, group.names] }.sort
      end

      test "methods of single objects stand under their class" do
        first = Liar.new
        second = Liar.new
        groups = methods_of("Liar") { [first, second].each { |liar| liar.define_singleton_method(:alone) { 1 } } }

        assert_equal [["one Coppice::Cold::DefinitionsTest::Liar.", [:alone]]],
          groups.map { |group| [group.owner, group.names] }
      end

      test "constants" do
        groups = watched { Liar.const_set(:LATE, 1) }.constants.select { |group| group.owner.include?("Liar") }

        assert_equal [["Coppice::Cold::DefinitionsTest::Liar::", [:LATE], __FILE__, __LINE__ - 2]], groups.map(&:to_a)
      end

      test "a constant that was autoloaded" do
        with_tmpdir do |folder|
          path = File.join(File.realpath(folder), "waiting.rb")
          File.write(path, "Coppice::Cold::DefinitionsTest::Waiting = 1\n")
          self.class.autoload(:Waiting, path)
          groups = watched { self.class.const_get(:Waiting) }.constants

          assert_equal [["Coppice::Cold::DefinitionsTest::", [:Waiting], path, 1]], groups.map(&:to_a)
        end
      end

      test "earlier definitions are not listed" do
        definitions = watched { Liar.new }

        assert_empty definitions.methods
        assert_empty definitions.constants
      end

      private

      def watched
        definitions = Definitions.new
        definitions.start
        yield
        definitions.stop
        definitions
      end

      def methods_of(name, &block)
        watched(&block).methods.select { |group| group.owner.include?(name) }
      end
    end
  end
end
