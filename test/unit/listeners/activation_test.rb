# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "coppice/listeners/set"

module Coppice
  module Listeners
    class ActivationTest < TestCase
      LIBRARY = File.expand_path("../../../lib", __dir__)

      SCRIPT = <<~RUBY
        ENV["LISTEN_PID"] ||= Process.pid.to_s
        addresses = ARGV.map { |text| Coppice::Listeners::Address.parse(text, tries: 1) }
        set = Coppice::Listeners::Set.bind(addresses)
        puts set.names, set.descriptors.inspect
        set.close
      RUBY

      test "a passed socket is used for its address, and its file is left" do
        with_tmpdir do |folder|
          passed(folder) do |set|
            output = run_with(set.descriptors, {}, "127.0.0.1:0", set.names.first)
            assert_equal [set.names.first, "3"], [output.lines[1].chomp, output.lines[2][/, (\d+)\]/, 1]]
            assert_path_exists set.names.first
          end
        end
      end

      test "sockets that are meant for another process are not used" do
        with_tmpdir do |folder|
          passed(folder) do |set|
            assert_match(/is in use by pid/, run_with(set.descriptors, { "LISTEN_PID" => "1" }, set.names.first))
          end
        end
      end

      private

      def passed(folder)
        set = Set.bind([Address.parse("#{folder}/x.sock")], environment: {})
        set.listen!
        yield set
      ensure
        set&.close
      end

      def run_with(descriptors, variables, *addresses)
        passed = descriptors.each_with_index.to_h { |descriptor, index| [3 + index, descriptor] }
        variables = variables.merge("LISTEN_FDS" => passed.size.to_s)
        output, = Open3.capture2e(variables, RbConfig.ruby, "--disable-gems", "-I", LIBRARY, "-r", "coppice/listeners/set",
          "-e", SCRIPT, *addresses, passed)
        output
      end
    end
  end
end
