# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class StackprofPresetTest < PresetTestCase
    # Each process looks once at what it has, and goes on collecting. The mold has a sample, too.
    APP = <<~'RUBY'
      require "stackprof"
      def take_sample
        StackProf.start(mode: :custom)
        StackProf.sample
        StackProf.stop
      end
      take_sample
      run(lambda do |env|
        take_sample
        unless $process == Process.pid
          $process = Process.pid
          samples = StackProf.results.fetch(:samples)
          raise IndexError, "#{samples} samples" unless samples == 1
          take_sample
        end
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "a worker has none of its parent's samples" do
      assert_survives(APP)
      assert_fails_without(:stackprof, APP, with: /: 500 IndexError: \d+ samples/)
    end
  end
end
