# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/child"
require "coppice/config/hooks"
require "coppice/monitor/state/handle"
require "coppice/observer"

module Coppice
  class RolesTest < TestCase
    test "each role has a class and hooks that exist" do
      programs, roles = Roles::TABLE.partition { |role| role.class_name.nil? }

      assert_equal [:lobby], programs.map(&:name)
      roles.each do |role|
        assert_respond_to Coppice.const_get(role.class_name), :new
        assert_empty role.hooks.values - Config::HOOKS.map(&:name)
      end
    end

    test "a number stands for each role on the board, and none for a free row" do
      names = Roles::TABLE.map(&:name)

      assert_equal names, names.map { |name| Roles.name_of(Roles.number(name)) }
      assert_equal :free, Roles.name_of(Roles::FREE)
    end

    test "an unknown role is an error wherever it comes in" do
      kind = -> { Monitor::ChildKind.new(:gardener, generation: 0) }
      membership = -> { Child::Membership.new(role: :gardener, generation: 0, row: nil, channel: nil) }
      number = -> { Roles.number(:gardener) }
      [kind, membership, number].each do |attempt|
        error = assert_raises(Bug) { attempt.call }

        assert_match(/no role :gardener/, error.message)
      end
    end

    test "the titles of processes other than molds and workers have neither word" do
      titles = [:worker, :mold, :service].to_h { |name| [name, membership(name).name] }

      assert_equal({ worker: "coppice worker[3] (gen 2)", mold: "coppice mold (gen 2)",
                     service: "coppice service (gen 2)" },
        titles)
    end

    test "a service has its name in its title and its log lines, and leads a process group" do
      service = Child::Membership.new(role: :service, service: "jobs", generation: 2, row: nil, channel: nil)

      assert_equal "coppice service[jobs] (gen 2)", service.name
      assert_equal({ child: :service, name: "jobs", gen: 2, child_pid: Process.pid }, service.to_log)
      assert Roles.fetch(:service).own_group
    end

    def membership(role)
      Child::Membership.new(role: role, nr: (3 if role == :worker), generation: 2, row: nil, channel: nil)
    end
  end
end
