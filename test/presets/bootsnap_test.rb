# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class BootsnapPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "bootsnap"
      Bootsnap.setup(cache_dir: File.join(__dir__, "cache"))
      run(lambda do |env|
        path = File.join(__dir__, "feature_#{env["QUERY_STRING"]}.rb")
        File.write(path, "TOKEN_#{env["QUERY_STRING"].upcase} = #{env["QUERY_STRING"].inspect}")
        require path
        [200, {}, ["#{Object.const_get("TOKEN_#{env["QUERY_STRING"].upcase}")} - #{Process.pid}"]]
      end)
    RUBY

    test "each process loads code" do
      assert_survives(APP)
    end
  end
end
