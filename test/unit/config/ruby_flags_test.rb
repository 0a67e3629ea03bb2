# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "coppice/config/ruby_flags"

module Coppice
  module Config
    class RubyFlagsTest < TestCase
      LIBRARY = File.expand_path("../../../lib", __dir__)

      test "act in their order" do
        with_tmpdir do |folder|
          File.write(File.join(folder, "flagged.rb"), "FLAGGED = [$DEBUG, $VERBOSE]")
          list = [[:include, folder], [:warn, nil], [:require, "flagged"],
                  [:eval, "puts [__FILE__, __LINE__].join(':')"], [:debug, nil]]
          assert_equal "-e:4\n[false, true]\ntrue\n",
            act(list, "RubyFlags.new(list).apply; p FLAGGED, $DEBUG; $DEBUG = false")
        end
      end

      test "add up, and are frozen" do
        flags = RubyFlags.new([[:warn, nil]]) + RubyFlags.new([[:require, "json"]])
        assert_equal [[:warn, nil], [:require, "json"]], flags.list
        assert_predicate flags, :frozen?
      end

      private

      def act(list, code)
        script = "include Coppice::Config; list = #{list.inspect}; #{code}"
        output, status = Open3.capture2e(RbConfig.ruby, "-I", LIBRARY, "-r", "coppice/config/ruby_flags", "-e", script)
        assert_predicate status, :success?, output
        output
      end
    end
  end
end
