# frozen_string_literal: true

require "test_helper"
require "coppice/cli"
require "coppice/cli/check_command"
require "coppice/cli/help_command"
require "coppice/config/loader"
require_relative "../../support/documentation"

module Coppice
  module Config
    class ServicesTest < TestCase
      def evaluate(text)
        values = nil
        with_tmpdir do |folder|
          File.write(File.join(folder, "coppice.rb"), text)
          values = ConfigFile.read("coppice.rb", directory: folder)
        rescue ConfigError => error
          values = error
        end
        values.is_a?(ConfigError) ? raise(values) : values
      end

      def services(text) = evaluate(text).services

      def refusal(text) = assert_raises(ConfigError) { evaluate(text) }.message

      test "a service has its options, or their defaults, and a block that takes as many arguments as it likes" do
        jobs, cable = services(<<~RUBY).values_at("jobs", "cable")
          service(:jobs, survives_reforks: true, timeout: 2.5) { :none }
          service("cable") { |server, service| [server, service] }
        RUBY

        assert_equal ["jobs", true, 2.5, :none], [*jobs.to_a.first(3), jobs.block.call(1, 2)]
        assert_equal ["cable", false, 10, [1, 2]], [*cable.to_a.first(3), cable.block.call(1, 2)]
      end

      test "a service has no limits, or those of a worker" do
        jobs, cable = services(<<~RUBY).values_at("jobs", "cable")
          service(:jobs, memory_limit: "1G", max_age: 86_400) { 1 }
          service(:cable) { 1 }
        RUBY

        assert_equal [{ pss: 1 << 30 }, 86_400, true], [jobs.memory_limit, jobs.max_age, jobs.limits.any?]
        assert_equal [nil, nil, false], [cable.memory_limit, cable.max_age, cable.limits.any?]
        assert_match(/max_age of service jobs must be a number of seconds, 60 or more/,
          refusal("service(:jobs, max_age: 59) { 1 }"))
      end

      test "a service with a path has no block, and survives reforks" do
        cable = services("service :cable, path: '/cable/', timeout: 3")["cable"]

        assert_equal ["/cable", true, 3, nil], [cable.path, cable.survives_reforks, cable.timeout, cable.block]
        assert_empty services("service :cable, path: '/cable'\nservice :cable, nil")
      end

      test "a path is one below the root, of one service, which serves the application" do
        { "service :cable, path: '/'" => /path of service cable must be a path below the root/,
          "service :cable, path: 'cable'" => /must be a path below the root, such as/,
          "service :cable, path: '/a b'" => /must be a path below the root/,
          "service :cable, path: '/a//b'" => /must be a path below the root/,
          "service :cable, path: '/#{"a" * 64}'" => /must be a path below the root/,
          "service(:cable, path: '/a') { 1 }" => /service cable has a path and a block/,
          "service :a, path: '/a'\nservice :b, path: '/b'" => /rb:2: service b and service a both have a path/ }
          .each { |text, message| assert_match message, refusal(text) }
      end

      test "a path needs a listener with the lobby" do
        with_tmpdir do |folder|
          File.write("#{folder}/coppice.rb", "listen 'unix:web.sock'\nservice :cable, path: '/cable'")
          load = -> { Loader.new(arguments: ["-c", "coppice.rb"], environment: {}, directory: folder).load }

          error = assert_raises(ConfigError, &load)
          assert_match(/service cable has a path, which only the lobby knows/, error.message)
          File.write("#{folder}/coppice.rb", "listen 'unix:web.sock', lobby: true\nservice :cable, path: '/cable'")
          assert_equal "/cable", load.call.service("cable").path
        end
      end

      # Its recipes are those of tests in test/presets.
      test "the page's first examples are some" do
        page = Documentation.new("services.md")

        assert services(page.block("config/coppice.rb"))["solid_queue"].survives_reforks
        assert services(page.block("limits of a service"))["solid_queue"].limits.any?
      end

      test "the last block of a name counts, and nil removes it" do
        assert_equal 2, services("service(:jobs) { 1 }\nservice(:jobs) { 2 }")["jobs"].block.call
        assert_empty services("service(:jobs) { 1 }\nservice :jobs, nil")
      end

      test "mistakes are named with file and line" do
        { "service(:jobs, survives: true) { 1 }" =>
            /coppice.rb:1: service jobs has no option survives.*survives_reforks/m,
          "\nservice(:jobs, timeout: 0) { 1 }" => /coppice.rb:2: timeout of service jobs must be a number of seconds/,
          "service('job s') { 1 }" => /coppice.rb:1: service needs a name .* but got "job s"/,
          "service(:mold) { 1 }" => /needs a name.*mold and service are reserved/m,
          "service(:jobs, 5)" => /service jobs takes a block, but got 5/,
          "service(:jobs) { 1 }\nservice(:j) do |a, b, c:|\nend" => /service j is called with 2 \(server, service\)/,
          "servise(:jobs) { 1 }" => /unknown option or hook servise.*service/m }.each do |text, message|
          assert_match message, refusal(text)
        end
      end

      test "the settings of a server have the service worker first, if hooks ask for it" do
        with_tmpdir do |folder|
          File.write(File.join(folder, "coppice.rb"), <<~RUBY)
            timeout 7
            service(:jobs) { 1 }
            before_service_worker_ready { 1 }
          RUBY
          settings = Loader.new(arguments: ["-c", "coppice.rb"], environment: {}, directory: folder).load

          assert_equal [[nil, 7, nil], ["jobs", 10, settings.service("jobs").block]],
            settings.services.map { |service| [service.name, service.timeout, service.block] }
          assert_equal "coppice.rb:2", settings.origin(:"service jobs")
          Dir.chdir(folder) do
            assert_equal [nil, "jobs"], Settings.evaluate_in_mold(settings.to_wire).services.map(&:name)
          end
          jobs = [settings.service("jobs")]

          assert_equal jobs, Settings.from_wire(settings.to_wire, services: jobs).services
        end
      end

      test "coppice help explains services" do
        output = StringIO.new
        CLI::HelpCommand.new(["service"], output: output).run

        assert_match(/survives_reforks: true or false/, output.string)
        assert_match(/by default 10 seconds/, output.string)
      end

      test "coppice check --show lists them" do
        with_tmpdir do |folder|
          File.write(File.join(folder, "coppice.rb"), "service(:jobs, timeout: 3) { 1 }")
          output = StringIO.new
          CLI::CheckCommand.new(["-c", "coppice.rb", "--show"], output: output, environment: {}, directory: folder).run

          assert_match(/^service jobs +a block, survives_reforks: false, timeout: 3 +coppice.rb:1$/, output.string)
        end
      end
    end
  end
end
