# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/fork_safety/preset_calls"
require "coppice/worker/fork_safety_watch"

class ForkSafetyWatchTest < Coppice::TestCase
  # In the place of a row of the board.
  class Row
    attr_reader :rests

    def request = "GET /image"
    def fork_safe? = @rests.nil?
    def rest_from_promotions = @rests = true
    def rested = @rests = nil
  end

  Membership = Struct.new(:row, :told) { def tell(message) = told << message }
  Inheritance = Struct.new(:preset_calls)
  Log = Class.new { def info(*, **) = nil }
  Worker = Struct.new(:membership, :log, :inheritance)

  # In the place of PresetCalls: notes which presets are asked.
  class Calls < Coppice::ForkSafety::PresetCalls
    attr_reader :guards, :asked

    def initialize(guards)
      super(true)
      @guards = guards
      @asked = []
    end

    def unsafe(_log, presets = guards)
      @asked << presets.map(&:name)
      presets.select { |preset| preset.calls[:unsafe].call }.to_h { |preset| [preset, preset.why] }
    end
  end

  def preset(name, silent: false)
    Coppice::ForkSafety::Preset.new(name: name, silent: silent, passing: true, calls: { unsafe: -> { @unsafe } })
  end

  def watch(*presets)
    @row = Row.new
    @calls = Calls.new(presets)
    Coppice::Worker::ForkSafetyWatch.new(Worker.new(@membership = Membership.new(@row, []), Log.new,
      Inheritance.new(@calls)))
  end

  # After as many requests, with so many threads.
  def look(watch, threads:, requests: 1)
    watch.stub(:thread_count, threads) { requests.times { watch.look } }
  end

  test "presets are asked when the number of threads has changed, silent ones after each request" do
    watch = watch(preset(:threads), preset(:quiet, silent: true))
    look(watch, threads: 100)
    look(watch, threads: 101, requests: 2)

    assert_equal [%i[threads quiet], %i[threads quiet], %i[quiet]], @calls.asked
  end

  test "the monitor is told by which request, and again once the worker has rested" do
    watch = watch(preset(:threads))
    @unsafe = true
    look(watch, threads: 100, requests: 2)

    assert_equal [["GET /image", "threads"]], @membership.told.map(&:to_a)
    @row.rested
    look(watch, threads: 100, requests: 2)

    assert_equal 2, @membership.told.size
  end

  test "a thread more is seen" do
    watch = watch(preset(:threads))
    before = watch.send(:thread_count)
    threads = Array.new(Thread.list.size + 20) { Thread.new { Thread.stop } }

    assert_operator watch.send(:thread_count), :>, before
  ensure
    threads.each { |thread| thread.kill.join }
  end

  test "where no preset can find anything no thread is counted" do
    watch = watch()
    look(watch, threads: 100)

    assert_empty @calls.asked
    refute_predicate watch, :unsafe?
  end
end
