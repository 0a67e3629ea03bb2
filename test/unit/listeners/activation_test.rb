# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "coppice/listeners/set"

module Coppice
  module Listeners
    class ActivationTest < TestCase
      LIBRARY = File.expand_path("../../../lib", __dir__)

      # It requires by itself: -r comes before the libraries that RUBYOPT names, such as an extension under test.
      SCRIPT = <<~RUBY
        require "coppice/listeners/set"
        ENV["LISTEN_PID"] ||= Process.pid.to_s
        addresses = ARGV.map { |text| Coppice::Listeners::Address.parse(text, tries: 1) }
        set = Coppice::Listeners::Set.bind(addresses)
        puts set.names, set.descriptors.inspect
        set.close
      RUBY

      # Uses the socket of an address, and prints the log and which descriptors are open then.
      UNUSED = <<~RUBY
        require "coppice/listeners/set"
        require "coppice/log"
        ENV["LISTEN_PID"] = Process.pid.to_s
        set = Coppice::Listeners::Set.bind([Coppice::Listeners::Address.parse(ARGV.first, tries: 1)])
        Coppice::Listeners::Activation.new.warn_of_unused(set, Coppice::Log.new($stdout, role: :monitor))
        puts (3..5).select { |descriptor| IO.for_fd(descriptor, autoclose: false).close_on_exec? }.inspect
        set.close
      RUBY

      # Prints the addresses of the configuration in a folder.
      CONFIGURED = <<~'RUBY'
        require "coppice/config/loader"
        ENV["LISTEN_PID"] = Process.pid.to_s
        settings = Coppice::Config::Loader.new(directory: ARGV.first).load
        settings.listen.each { |address| puts "#{address} #{address.options[:proxy_protocol]}" }
      RUBY

      test "a passed socket is used for its address, and its file is left" do
        with_tmpdir do |folder|
          passed("#{folder}/x.sock") do |set|
            output = run_with(set.descriptors, {}, "127.0.0.1:0", set.names.first)
            assert_equal [set.names.first, "3"], [output.lines[1].chomp, output.lines[2][/, (\d+)\]/, 1]]
            assert_path_exists set.names.first
          end
        end
      end

      test "systemd's socket for a port is taken for the same port on all IPv4 addresses" do
        skip "no IPv6 here" unless Socket.ip_address_list.any?(&:ipv6_loopback?)
        passed("[::]:0") do |set|
          assert_equal ["0.0.0.0:#{set.first.address.port}", "[3]"],
            run_with(set.descriptors, {}, set.first.address.port.to_s).split
        end
      end

      test "unless it is for IPv6 only" do
        skip "no IPv6 here" unless Socket.ip_address_list.any?(&:ipv6_loopback?)
        passed("[::]:0", ipv6only: true) do |set|
          refute_match(/\[3\]/, run_with(set.descriptors, {}, set.first.address.port.to_s))
        end
      end

      test "a socket with the name of an option has the options of the file's address for which it can stand" do
        skip "no IPv6 here" unless Socket.ip_address_list.any?(&:ipv6_loopback?)
        passed("[::]:0") do |set|
          port = set.first.address.port
          { "listen #{port}, proxy_protocol: true" => "0.0.0.0:#{port} true\n",
            "listen '[::]:#{port}', proxy_protocol: true" => "[::]:#{port} true\n",
            "listen '127.0.0.1:#{port}', proxy_protocol: true" => "[::]:#{port} false\n" }.each do |text, expected|
            assert_equal expected, configured(set.descriptors, text)
          end
        end
      end

      test "listening sockets that no listener uses are named and kept to the server; what else is passed is left" do
        with_tmpdir do |folder|
          passed("#{folder}/used.sock", "#{folder}/other.sock") do |set|
            output = File.open(File::NULL) do |file|
              run_with([*set.descriptors, file.fileno], { "LISTEN_FDNAMES" => "listen:shop@1.socket:x" },
                set.names.first, script: UNUSED)
            end

            assert_match(/not used" address=#{folder}\/other.sock name=shop@1.socket remedy=.*\n\[3, 4\]\n\z/, output)
            assert_equal 1, output.scan("level=warn").size
          end
        end
      end

      test "sockets that are meant for another process are not used" do
        with_tmpdir do |folder|
          passed("#{folder}/x.sock") do |set|
            assert_match(/is in use by pid/, run_with(set.descriptors, { "LISTEN_PID" => "1" }, set.names.first))
          end
        end
      end

      private

      def passed(*addresses, **options)
        set = Set.bind(addresses.map { |address| Address.parse(address, options) }, environment: {})
        set.listen!
        yield set
      ensure
        set&.close
      end

      def configured(descriptors, text)
        with_tmpdir do |folder|
          Dir.mkdir("#{folder}/config")
          File.write("#{folder}/config/coppice.rb", text)
          run_with(descriptors, { "LISTEN_FDNAMES" => "listen" }, folder, script: CONFIGURED)
        end
      end

      def run_with(descriptors, variables, *arguments, script: SCRIPT)
        passed = descriptors.each_with_index.to_h { |descriptor, index| [3 + index, descriptor] }
        variables = variables.merge("LISTEN_FDS" => passed.size.to_s)
        output, = Open3.capture2e(variables, RbConfig.ruby, "--disable-gems", "-I", LIBRARY, "-e", script,
          *arguments, passed)
        output
      end
    end
  end
end
