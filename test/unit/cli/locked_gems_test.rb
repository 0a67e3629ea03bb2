# frozen_string_literal: true

require "test_helper"
require "coppice/cli/locked_gems"

module Coppice
  class CLI
    class LockedGemsTest < TestCase
      LOCK = <<~LOCK
        GEM
          specs:
            actioncable (8.2.0.alpha)
              nio4r (~> 2)
            ffi (1.17.2-x86_64-linux-gnu)
            grpc (1.76.0.pre1-aarch64-linux)
            pg (1.6.2)

        PLATFORMS
          x86_64-linux
      LOCK

      test "a version has its letters and no platform" do
        with_tmpdir do |folder|
          File.write("#{folder}/Gemfile.lock", LOCK)
          versions = { "actioncable" => "8.2.0.alpha", "ffi" => "1.17.2", "grpc" => "1.76.0.pre1", "pg" => "1.6.2" }

          assert_equal versions, LockedGems.of({}, folder).versions
        end
      end
    end
  end
end
