# frozen_string_literal: true

require "test_helper"
require "support/c_program"

module Coppice
  class CProgramTest < TestCase
    test "a program that searches for no leaks still writes its reports where the others do" do
      { nil => "detect_leaks=0", "log_path=reports" => "log_path=reports:detect_leaks=0" }.each do |given, options|
        assert_equal({ "ASAN_OPTIONS" => options }, CProgram.without_leak_search({ "ASAN_OPTIONS" => given }.compact))
      end
    end
  end
end
