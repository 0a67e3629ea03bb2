# frozen_string_literal: true

require "test_helper"
require_relative "../support/fork_record"

# What an application that is hard to fork looks like after many generations.
class ForkSafetyTest < Coppice::TestCase
  GENERATIONS = 8
  FORKS_PER_LIFE = 2 # the middle process, and the sibling

  # One server for all tests that only look: made for the first of them.
  def self.record = @record ||= ForkRecord.over(generations: GENERATIONS)

  def record = self.class.record

  # What the processes of one role held in each generation, without what is the same in all of them.
  def kinds(role, what)
    record.holdings.map { |family| family.select { |holdings| holdings.role == role }.map(&what).uniq }.uniq
  end

  # Ruby keeps a native thread that has ended for a few seconds, for the next one: here that of the heap's preparation.
  def lasting_threads = ->(holdings) { holdings.threads.reject { |name, _| name.start_with?("heap_prep") } }

  def lives(role) = record.lives.select { |life| life[:role] == role.to_s }

  [:mold, :worker].each do |role|
    test "a #{role} of the last generation holds what one of the first did" do
      assert_equal 1, kinds(role, :descriptors).flatten.size, kinds(role, :descriptors).inspect
      assert_equal 1, kinds(role, lasting_threads).flatten.size, kinds(role, :threads).inspect
    end
  end

  test "the monitor holds what it did in the first generation" do
    assert_equal [record.monitor.first], record.monitor.uniq
  end

  test "at_exit handlers run once in each mold and worker, and nowhere else" do
    assert_equal record.lives.map { |life| life[:pid] }.sort, record.exits.sort
  end

  test "a library's hook on fork runs for each of them" do
    forks = lives(:worker).map { |life| [life[:generation], life[:forks]] }.uniq

    assert_equal (0..GENERATIONS).map { |generation| [generation, FORKS_PER_LIFE * ((2 * generation) + 1)] }, forks.sort
  end

  test "no two processes draw the same random numbers" do
    drawn = record.lives.flat_map { |life| life[:drawn].values }

    assert_equal drawn.size, drawn.uniq.size, drawn.tally.select { |_, count| count > 1 }.inspect
  end

  test "a lock that another thread held at the fork is free in the child" do
    warm_molds = lives(:mold).reject { |life| life[:generation].zero? }

    assert_equal [{ at_fork: true, now: false }], warm_molds.map { |life| life[:lock] }.uniq
  end
end
