# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/board"
require "coppice/child/forking"
require "coppice/child/inheritance"
require "coppice/config/settings"

# What a mold does when it is told to fork, without a fork.
class ForkingTest < Coppice::TestCase
  # In the place of OS::SiblingFork: keeps what it should have forked.
  class Sibling
    attr_reader :children
    attr_accessor :failure

    def initialize = @children = []
    def loading = []

    def call(announce:)
      @children << announce.receiver
      4711 unless failure
    end
  end

  class Errors
    def error(*, **) = nil
  end

  Parent = Struct.new(:inheritance, :membership, :log)

  def setup
    @board = Coppice::Board.create
    settings = Coppice::Config::Settings.new(values: {}, hooks: { before_fork: ->(_) { @during = @board.row(0).hook } })
    inheritance = Coppice::Child::Inheritance.build(app: nil, settings: settings, log: Errors.new, board: @board)
    membership = Coppice::Child::Membership.without_monitor(role: :mold, row: @board.row(0))
    @forking = Coppice::Child::Forking.new(Parent.new(inheritance, membership, Errors.new))
    @forking.instance_variable_set(:@sibling, @sibling = Sibling.new)
  end

  def teardown
    @board.close
  end

  def fork_worker
    message = Coppice::Control::Messages::Spawn.new(role: :worker, nr: 0, generation: 0, row: 1)
    @forking.call(Coppice::Control::Channel::Packet.new(message, { channel: File.open(File::NULL) }))
    @sibling.children.last
  end

  test "the first worker that there is gets audited, not the first that could not be forked" do
    @sibling.failure = "no process is left"
    fork_worker
    @sibling.failure = nil

    assert_kind_of Coppice::ForkSafety::Audit, fork_worker.audit
    assert_nil fork_worker.audit
  end

  test "only what a cold mold forks is of a cold mold" do
    refute_predicate fork_worker, :of_cold_mold?

    boot = Coppice::Child::Membership.new(role: :mold, purpose: :boot, generation: 0, row: @board.row(0), channel: nil)
    @forking.instance_variable_get(:@parent).membership = boot
    assert_predicate fork_worker, :of_cold_mold?
  end

  test "the board names the hook that runs before a fork" do
    fork_worker

    assert_equal ["before_fork", ""], [@during, @board.row(0).hook]
  end
end
