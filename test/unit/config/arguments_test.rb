# frozen_string_literal: true

require "test_helper"
require "coppice/config/arguments"

module Coppice
  module Config
    class ArgumentsTest < TestCase
      test "Ruby's flags are kept in their order" do
        flags = parse("-I", "a:b", "-r", "json", "-e", "1 + 1", "-d", "-w", "--require", "set").ruby_flags
        expected = [[:include, "a:b"], [:require, "json"], [:eval, "1 + 1"], [:debug, nil],
                    [:warn, nil], [:require, "set"]]
        assert_equal expected, flags.list
        assert_equal %w[a b], flags.load_paths
      end

      test "Pitchfork's flags" do
        arguments = parse("-c", "my.rb", "-E", "production", "-s", "pitchfork", "app.ru")
        assert_equal ["my.rb", "production", "app.ru"],
          [arguments.config_file, arguments.environment_name, arguments.rackup]
        assert_equal ["-s is ignored: this is Coppice"], arguments.notes
      end

      test "paths of requests, for a command that takes them" do
        arguments = Arguments.parse(["/", "/my/app.ru", "-c", "/my/config.rb", "/products?page=2"], paths: true)
        assert_equal [["/", "/products?page=2"], "/my/app.ru", "/my/config.rb"],
          [arguments.paths, arguments.rackup, arguments.config_file]
      end

      test "for others they are rackup files" do
        assert_equal ["/my/app", []], parse("/my/app").then { |arguments| [arguments.rackup, arguments.paths] }
      end

      test "an empty command line sets nothing" do
        arguments = parse
        assert_nil arguments.rackup
        assert_empty arguments.source_values(host: "0.0.0.0").values
      end

      test "addresses: -l may be repeated" do
        assert_equal %w[0.0.0.0:3000 /tmp/x.sock], listen("-l", "3000", "--listen", "/tmp/x.sock")
      end

      test "addresses: -o and -p make one together" do
        assert_equal %w[0.0.0.0:3000], listen("-p3000")
        assert_equal %w[127.0.0.1:8080], listen("-o", "127.0.0.1")
        assert_equal %w[127.0.0.1:3000], listen("--host=127.0.0.1", "--port=3000")
        assert_equal %w[[::1]:3000], listen("-o", "::1", "-p", "3000")
        assert_equal %w[0.0.0.0:1 0.0.0.0:2], listen("-p", "2", "-l", "1")
      end

      test "addresses: -b is a host, as for Rails, or a URI, as for Puma" do
        assert_equal %w[127.0.0.1:8080], listen("-b", "127.0.0.1")
        assert_equal %w[localhost:3000], listen("-p", "3000", "--bind", "localhost")
        assert_equal %w[[::1]:8080], listen("-b", "::1")
        three = %w[127.0.0.1:3000 [::]:3001 /run/x.sock]
        assert_equal three, listen("-b", "tcp://127.0.0.1:3000", "-b", "tcp://[::]:3001", "-b", "unix:///run/x.sock")
        assert_equal three, listen("-b", "127.0.0.1:3000", "-b", "[::]:3001", "-b", "/run/x.sock")
        assert_equal [File.expand_path("tmp/x.sock")], listen("-b", "unix://tmp/x.sock")
        assert_equal "flag -b", layer("-b", "::1").origins[:listen]
      end

      test "mistakes with -b" do
        assert_match(/\A-b cannot be "ssl:\/\/127.0.0.1:3000": write 8080/, complaint("-b", "ssl://127.0.0.1:3000"))
        assert_match(/\A-b tcp.*: set options of an address in the configuration file/,
          complaint("-b", "tcp://127.0.0.1:3000?backlog=1"))
      end

      test "a letter is a flag of its own or none, and never the beginning of a long one" do
        taken = Arguments.summary.scan(/^ +-(\w),/).flatten

        assert_equal %w[e d w I r c E l o b p s h v].sort, taken.sort
        ([*"a".."z", *"A".."Z", *"0".."9"] - taken).each do |letter|
          assert_equal "unknown flag -#{letter}", complaint("-#{letter}", "1")
        end
      end

      test "the host alone takes the port that the environment names" do
        source = parse("-o", "127.0.0.1").source_values(host: "0.0.0.0", port: 5000)
        assert_equal %w[127.0.0.1:5000], source.values[:listen].map(&:to_s)
      end

      test "each simple option has a flag" do
        layer = layer("--workers", "3", "--timeout", "2.5", "--log-format", "json", "--early-hints", "--no-setpgid",
          "--refork-after", "5,10")
        expected = { worker_processes: 3, timeout: 2.5, log_format: :json, early_hints: true,
                     setpgid: false, refork_after: [5, 10] }
        assert_equal expected, layer.values
        assert_equal "flag --workers", layer.origins[:worker_processes]
        assert_equal :auto, layer("--workers", "auto").values[:worker_processes]
      end

      test "flags and file in any order" do
        arguments = parse("config.ru", "-p", "3000")
        assert_equal "config.ru", arguments.rackup
        assert_equal %w[0.0.0.0:3000], arguments.source_values(host: "0.0.0.0").values[:listen].map(&:to_s)
      end

      test "the arguments are not modified" do
        words = %w[-p 3000 config.ru].freeze
        Arguments.parse(words)
        assert_equal %w[-p 3000 config.ru], words
      end

      test "help and version are only recorded" do
        assert_predicate parse("-h"), :help?
        assert_predicate parse("-p", "3", "--version"), :version?
        refute_predicate parse, :help?
      end

      test "mistakes are reported in one line" do
        assert_equal "unknown flag --wrokers. Did you mean --workers?", complaint("--wrokers", "3")
        assert_equal "unknown flag --tiemout. Did you mean --timeout?", complaint("--tiemout=3")
        assert_equal "unknown flag -z", complaint("-z")
        assert_equal "-p needs a value", complaint("-p")
        assert_equal "--debug takes no value", complaint("--debug=1")
        assert_equal '-p must be a whole number, 0 or more, but is "x"', complaint("-p", "x")
        assert_equal '--workers must be a whole number, from 0 to 1024; a range such as 2..16; or :auto, but is "many"',
          complaint("--workers", "many")
        assert_equal "-w turns Ruby's warnings on. For a number of workers: --workers 2", complaint("-w", "2", "a.ru")
        assert_equal "one rackup file is enough, but there are 2: a.ru b.ru", complaint("a.ru", "b.ru")
        assert_match(/\A-l cannot be "nowhere": write 8080/, complaint("-l", "nowhere"))
        assert_match(/\A--log-format must be one of/, complaint("--log-format", "xml"))
      end

      test "a mistake in a short flag's address" do
        assert_match(/a port is 0 to 65535/, complaint("-p", "70000"))
      end

      private

      def parse(*words)
        Arguments.parse(words)
      end

      def layer(*words)
        parse(*words).source_values(host: "0.0.0.0")
      end

      def listen(*words)
        layer(*words).values[:listen].map(&:to_s)
      end

      def complaint(*words)
        error = assert_raises(UsageError) { layer(*words) }
        refute_includes error.message, "\n"
        error.message
      end
    end
  end
end
