# frozen_string_literal: true

require "tmpdir"
require "fileutils"
require_relative "bounded_wait"

module Coppice
  # The parent of all test classes: tests are sentences, and each must assert something.
  #
  #   class BoardTest < Coppice::TestCase
  #     test "a new row is empty" do
  #       assert_equal 0, Board.new(1).row(0).requests
  #     end
  #   end
  class TestCase < Minitest::Test
    # Defines the test that this sentence describes.
    def self.test(sentence, &body) #: (String) { () -> void } -> void
      name = "test_#{sentence}"
      raise ArgumentError, "#{self} already has a test #{sentence.inspect}" if method_defined?(name, false)

      define_method(name) do
        instance_exec(&body)
        flunk "this test asserts nothing" if assertions.zero?
      end
    end

    # The same for a test that takes long because it waits for real time: it runs only with `bin/test --lane soak`.
    def self.soak_test(sentence, &body) #: (String) { () -> void } -> void
      test(sentence, &body) if ENV.key?("COPPICE_SOAK")
    end

    # Waits until the block answers something truthy, and returns that; fails after `timeout` seconds of waiting.
    # Only here and in BoundedWait itself may a test pause.
    #: [T] (?Numeric, ?String) { () -> T? } -> T
    def eventually(timeout = BoundedWait::SECONDS, message = "this did not come true", &look)
      answer = BoundedWait.wait(timeout, message, &look)
      pass
      answer
    rescue BoundedWait::TimedOut => error
      flunk error.message
    end

    # Yields the path of a new folder. It is removed afterwards, unless the test failed: then its path is printed.
    def with_tmpdir #: [T] () { (String) -> T } -> T
      folder = Dir.mktmpdir("coppice-test-")
      (@folders ||= []) << folder
      yield(folder).tap { FileUtils.remove_entry(folder) }
    end

    # A test may expect an error that leaves its folder.
    def after_teardown
      super
      left = (@folders || []).select { |folder| File.exist?(folder) }
      return FileUtils.rm_rf(left) if failures.all?(Minitest::Skip)

      left.each { |folder| Kernel.warn "kept for a look: #{folder}" }
    end

    private

    def monotonic_now #: () -> Float
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
