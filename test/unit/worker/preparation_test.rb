# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/worker/preparation"

module Coppice
  class Worker
    class PreparationTest < TestCase
      Life = Struct.new(:membership, :settings, :inheritance)
      Member = Struct.new(:first_request, :row) do
        def first_request? = first_request
        def rehearsing? = false
        def warmed_trial? = false
        def nr = 1
      end
      Presets = Struct.new(:calls) do
        def before_ready(_log) = calls << :before_ready
      end
      Inherited = Struct.new(:preset_calls, :first_path)

      test "a worker that may block before it is ready reconnects, also without warm-up requests" do
        assert_equal [:before_ready], calls_of(first_request: true)
      end

      test "a worker that replaces one which has hung does not" do
        assert_empty calls_of(first_request: false)
      end

      private

      def calls_of(first_request:)
        member = Member.new(first_request, Struct.new(:compiles).new)
        presets = Presets.new([])
        life = Life.new(member, Struct.new(:jit, :gc_profile).new(:off, :ruby), Inherited.new(presets))
        Preparation.new(Struct.new(:life, :membership, :log).new(life, member), nil) do
          flunk "no path to request"
        end.call
        presets.calls
      end
    end
  end
end
