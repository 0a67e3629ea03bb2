# frozen_string_literal: true

require "test_helper"
require "coppice/config/loader"
require_relative "../../support/listened_addresses"

module Coppice
  module Config
    class LoaderTest < TestCase
      include ListenedAddresses

      PRODUCTION = { "RACK_ENV" => "production" }.freeze

      test "without any source, every option has its default" do
        settings = load
        OPTIONS.reject { |option| %i[listen timeout_cold].include?(option.name) }
               .each { |option| assert_equal [option.default], [settings.public_send(option.name)], option.name }
        assert_equal [local(8080), "default"], [names(settings), settings.origin(:listen)]
        assert_equal "default", settings.origin(:worker_processes)
        assert_equal ["config.ru", "development", nil],
          [settings.rackup, settings.environment_name, settings.config_file]
      end

      test "flag over environment over config.ru over file over default" do
        files = { "config/coppice.rb" => "worker_processes 1\ntimeout 1\nspawn_timeout 1\nboot_timeout 1",
                  "config.ru" => "# frozen\n#\\ --workers 2 --timeout 2 --spawn-timeout 2\nrun nil" }
        settings = load(%w[--workers 4], files: files, environment: { "WEB_CONCURRENCY" => "3" })
        assert_equal [4, "flag --workers"], [settings.worker_processes, settings.origin(:worker_processes)]
        assert_equal [2, "config.ru (flag --timeout)"], [settings.timeout, settings.origin(:timeout)]
        assert_equal [1, "config/coppice.rb:4"], [settings.boot_timeout, settings.origin(:boot_timeout)]

        settings = load(files: files, environment: { "WEB_CONCURRENCY" => "3" })
        assert_equal [3, "environment WEB_CONCURRENCY"], [settings.worker_processes, settings.origin(:worker_processes)]
      end

      test "an empty variable counts as unset" do
        settings = load(environment: { "WEB_CONCURRENCY" => "", "PORT" => "", "RACK_ENV" => "" })
        assert_equal [1, "development"], [settings.worker_processes, settings.environment_name]
      end

      test "a variable that cannot be read is named" do
        assert_equal "environment variable WEB_CONCURRENCY must be a whole number, from 0 to 1024; a range such as " \
                     "2..16; or :auto, but is \"many\"",
          complaint(environment: { "WEB_CONCURRENCY" => "many" })
        assert_equal :auto, load(environment: { "WEB_CONCURRENCY" => "auto" }).worker_processes
        assert_equal "environment variable PORT must be a port number, but is \"tcp://1.2.3.4:80\"",
          complaint(environment: { "PORT" => "tcp://1.2.3.4:80" })
      end

      test "PORT and flags replace the addresses of the file" do
        files = { "config/coppice.rb" => "listen 3000\nlisten '/tmp/x.sock'" }
        environment = { **PRODUCTION, "PORT" => "5000" }
        assert_equal %w[0.0.0.0:5000], names(load(files: files, environment: environment))
        assert_equal %w[0.0.0.0:6000], names(load(%w[-p 6000], files: files, environment: environment))
        assert_equal %w[127.0.0.1:5000], names(load(%w[-o 127.0.0.1], files: files, environment: environment))
        assert_equal %w[0.0.0.0:3000 /tmp/x.sock], names(load(files: files))
      end

      test "in development the port of a flag, of PORT and of the default is for this machine alone" do
        assert_equal local(8080), names(load(environment: { "RAILS_ENV" => "development" }))
        assert_equal local(5000), names(load(environment: { "PORT" => "5000" }))
        assert_equal local(3000), names(load(%w[-p 3000]))
        [%w[-o 0.0.0.0], %w[-b 0.0.0.0]].each { |words| assert_equal %w[0.0.0.0:8080], names(load(words)) }
        %w[production staging test].each { |name| assert_equal %w[0.0.0.0:8080], names(load(["-E", name])) }
      end

      test "an address that the file names too keeps its options" do
        files = { "config/coppice.rb" => "listen 3000, backlog: 7" }
        assert_equal 7, load(%w[-p 3000], files: files, environment: PRODUCTION.dup).listen.first.options[:backlog]
        assert_nil load(%w[-p 3001], files: files, environment: PRODUCTION.dup).listen.first.options[:backlog]
      end

      test "an address has the options that the file gives to its port, whatever its host" do
        %w[3000 [::]:3000 localhost:3000 127.0.0.1:3000].each do |written|
          files = { "config/coppice.rb" => "listen '#{written}', backlog: 7\nlisten '/tmp/x.sock', backlog: 8" }
          [%w[-p 3000], %w[-p 3000 -o localhost], %w[-b [::]:3000], %w[-l 0.0.0.0:3000]].each do |words|
            settings = load(words, files: files)
            assert_equal [[7], []],
              [settings.listen.map { |address| address.options[:backlog] }.uniq, settings.notes], words
          end
        end
      end

      test "an address has no options where those of its port differ, and a note says so" do
        files = { "config/coppice.rb" => "listen 3000, backlog: 7\nlisten '[::1]:3000', backlog: 8" }

        settings = load(%w[-p 3000], files: files)

        assert_nil settings.listen.first.options[:backlog]
        assert_equal ["flag -p: localhost:3000 has none of the options that config/coppice.rb gives to port 3000, " \
                      "because they differ. Name one of the file's addresses"], settings.notes
        exact = load(%w[-l [::1]:3000], files: files)
        assert_equal [8, []], [exact.listen.first.options[:backlog], exact.notes]
      end

      test "options that are for an address alone are no difference, and are not those of another host" do
        files = { "config/coppice.rb" => "listen '0.0.0.0:3000', umask: 0o77\nlisten '[::]:3000', ipv6only: true" }

        settings = load(%w[-p 3000], files: files)

        assert_equal [Listeners::DEFAULT_OPTIONS, []], [settings.listen.first.options, settings.notes]
        assert load(%w[-l [::]:3000], files: files).listen.first.options[:ipv6only]
      end

      test "an address for other machines does not trust them as the file trusts this one, and a note says so" do
        files = { "config/coppice.rb" =>
                    "listen '127.0.0.1:3000', proxy_protocol: true, scheme: :https, backlog: 7" }
        trust = ->(settings) { settings.listen.first.options.values_at(:proxy_protocol, :scheme, :backlog) }

        settings = load(%w[-p 3000 -o 0.0.0.0], files: files)

        assert_equal [false, :http, 7], trust.call(settings)
        assert_equal ["flag -p: 0.0.0.0:3000 does not have proxy_protocol and scheme of 127.0.0.1:3000 in " \
                      "config/coppice.rb, because others can reach it. Name the file's address, or listen on this " \
                      "one in the file"], settings.notes
        inner = { "config/coppice.rb" => "listen '10.0.0.5:3000', proxy_protocol: true" }
        assert_equal [false, :http, nil], trust.call(load(%w[-p 3000 -o 10.0.0.6], files: inner))
        all = { "config/coppice.rb" => "listen '[::]:3000', proxy_protocol: true" }
        assert_equal [true, :http, nil], trust.call(load(%w[-p 3000 -o 0.0.0.0], files: all))
        local = load(%w[-p 3000 -o localhost], files: files)
        assert_equal [[true, :https, 7], []], [trust.call(local), local.notes]
      end

      test "a file that listens on PORT itself keeps its addresses" do
        files = { "config/coppice.rb" => "listen '127.0.0.1:5000', backlog: 7\nlisten '/tmp/x.sock'" }
        assert_equal %w[127.0.0.1:5000 /tmp/x.sock], names(load(files: files, environment: { "PORT" => "5000" }))
      end

      test "a note names the addresses for this machine alone that PORT replaces" do
        files = { "config/coppice.rb" => "\nlisten '/tmp/x.sock'" }
        environment = { **PRODUCTION, "PORT" => "3000" }
        assert_equal ["config/coppice.rb:2: PORT is set, and replaces /tmp/x.sock by 0.0.0.0:3000. Unset it, or " \
                      "listen on that port in the file as well: then all its addresses count"],
          load(files: files, environment: environment).notes
        assert_empty load(%w[-l /tmp/x.sock], files: files, environment: environment).notes
      end

      test "there is no such note where PORT makes nothing more public" do
        { "listen 8080" => "production", "listen '127.0.0.1:3000'\nlisten '/tmp/x.sock'" => "production",
          "listen '127.0.0.1:8080'" => "development", "timeout 5" => "production" }.each do |file, name|
          environment = { "RACK_ENV" => name, "PORT" => "3000" }
          assert_empty load(files: { "config/coppice.rb" => file }, environment: environment).notes, file
        end
        local = { "config/coppice.rb" => "listen '127.0.0.1:8080'" }
        assert_equal 1, load(files: local, environment: { **PRODUCTION, "PORT" => "3000" }).notes.size
      end

      test "an address that is given twice is one" do
        assert_equal %w[0.0.0.0:3000], names(load(%w[-p 3000 -l 3000 -E production]))
      end

      test "config/coppice.rb is preferred to config/pitchfork.rb, -c to both" do
        files = { "config/coppice.rb" => "worker_processes 2", "config/pitchfork.rb" => "worker_processes 3",
                  "my.rb" => "worker_processes 4" }
        assert_equal 2, load(files: files).worker_processes
        assert_equal 3, load(files: files.slice("config/pitchfork.rb")).worker_processes
        settings = load(%w[-c my.rb], files: files)
        assert_equal [4, "my.rb", "my.rb:1"],
          [settings.worker_processes, settings.config_file, settings.origin(:worker_processes)]
      end

      test "a file that -c names must be there" do
        assert_equal "nope.rb: there is no such file. Give the right one with -c", complaint(%w[-c nope.rb])
      end

      test "RAILS_ENV stands in for RACK_ENV" do
        assert_equal "production", load(environment: { "RAILS_ENV" => "production" }).environment_name
        assert_equal "test", load(environment: { "RACK_ENV" => "test", "RAILS_ENV" => "production" }).environment_name
      end

      test "RACK_ENV is chosen, and set before the file is read" do
        environment = { "RACK_ENV" => "staging" }
        assert_equal "staging", load(environment: environment).environment_name
        assert_equal "production", load(%w[-E production], environment: environment).environment_name
        assert_equal "production", environment["RACK_ENV"]
      end

      test "flags in config.ru are those of the first line that begins with them" do
        rackup = "#\\ -p 3000 -E staging -w\n#\\ -p 4000\nrun nil"
        settings = load(files: { "config.ru" => rackup })
        assert_equal %w[0.0.0.0:3000], names(settings)
        assert_equal ["staging", [[:warn, nil]]], [settings.environment_name, settings.ruby_flags.list]
        assert_equal %w[0.0.0.0:9000], names(load(%w[-p 9000], files: { "config.ru" => rackup }))
        assert_equal local(3000), names(load(%w[-E development], files: { "config.ru" => rackup }))
      end

      test "flags in another rackup file, and none in a Ruby file" do
        files = { "my.ru" => "#\\ -p 3000", "my.rb" => "#\\ -p 3000" }
        assert_equal local(3000), names(load(%w[my.ru], files: files))
        assert_equal local(8080), names(load(%w[my.rb], files: files))
      end

      test "a file in the home of a user that does not exist is reported" do
        [%w[-c ~nouser/x.rb], %w[~nouser/x.rb]].each do |words|
          assert_equal "~nouser/x.rb: user nouser doesn't exist", complaint(words)
        end
      end

      test "a mistake in the flags of config.ru is reported with the file" do
        assert_equal "config.ru: unknown flag --prot. Did you mean --port?",
          complaint(files: { "config.ru" => "#\\ --prot 3000" })
      end

      test "more sockets than a worker or the lobby can be given are refused, with the place" do
        { "listen 1, queues: 200, lobby: false\nlisten 2, queues: 41, lobby: false" =>
            "config/coppice.rb:2: 241 sockets to listen on without the lobby, and there can be 240. " \
            "Use fewer listeners or fewer queues",
          "listen 1, queues: 65" =>
            "config/coppice.rb:1: 65 sockets to listen on with the lobby, and there can be 64. " \
            "Use fewer listeners or fewer queues" }.each do |file, expected|
          assert_equal expected, complaint(files: { "config/coppice.rb" => file })
        end
      end

      test "the PROXY protocol needs the lobby" do
        assert_match(/\Aconfig\/coppice\.rb:1: proxy_protocol needs the lobby \(listen 0\.0\.0\.0:3000\)/,
          complaint(files: { "config/coppice.rb" => "listen 3000, proxy_protocol: true, lobby: false" }))
        assert_predicate load(files: { "config/coppice.rb" => "listen 3000, proxy_protocol: true" }), :lobby?
      end

      test "keep_mold false is refused with what needs a mold" do
        assert_equal "config/coppice.rb:1: guests needs a mold, and keep_mold false lets it exit. Remove one of them",
          complaint(files: { "config/coppice.rb" => "keep_mold false\nguests 2" })
        assert_match(/fork_audit :refuse needs a mold/,
          complaint(files: { "config/coppice.rb" => "keep_mold false\nfork_audit :refuse" }))
        assert_equal [0, 4], ["keep_mold false\nguests nil", "guests nil"].map { |file|
          load(files: { "config/coppice.rb" => file }, environment: { "RACK_ENV" => "development" }).guest_limit
        }
      end

      test "the time that a connection is kept has a value for trusted proxies" do
        times = ["keepalive_timeout 5", "keepalive_timeout 5, trusted: 90"].map do |line|
          settings = load(files: { "config/coppice.rb" => line })
          [settings.keepalive_timeout, settings.trusted_keepalive_timeout]
        end

        assert_equal [[5, 75], [5, 90]], times
      end

      test "the access log has a format and perhaps a path" do
        logs = ["access_log :text", "access_log :json, '/tmp/a.log'", "access_log nil"].map do |line|
          load(files: { "config/coppice.rb" => line }).access_log
        end

        assert_equal [[:text, nil], [:json, "/tmp/a.log"], nil], logs
        assert_match(/access_log must be/, complaint(files: { "config/coppice.rb" => "access_log :xml" }))
      end

      test "check_client_connection cannot be combined with tcp_nopush" do
        file = "check_client_connection true\nlisten 3000, tcp_nopush: true"
        message = complaint(files: { "config/coppice.rb" => file })
        assert_equal "config/coppice.rb:1: check_client_connection cannot be combined with tcp_nopush " \
                     "(listen 0.0.0.0:3000). Remove one of them", message
      end

      test "the folders of -I are on the load path when the file is read" do
        with_tmpdir do |folder|
          File.write(File.join(folder, "library_of_loader_test.rb"), "LIBRARY_OF_LOADER_TEST = 5")
          files = { "config/coppice.rb" => "require 'library_of_loader_test'\nworker_processes LIBRARY_OF_LOADER_TEST" }
          assert_equal 5, load(["-I", folder], files: files).worker_processes
        ensure
          $LOAD_PATH.delete(folder)
        end
      end

      private

      def load(words = [], files: {}, environment: {})
        with_loader(words, files, environment, &:load)
      end

      # The message of the ConfigError that these sources lead to.
      def complaint(words = [], files: {}, environment: {})
        with_loader(words, files, environment) { |loader| assert_raises(ConfigError) { loader.load }.message }
      end

      def with_loader(words, files, environment)
        with_tmpdir do |folder|
          files.each do |name, text|
            FileUtils.mkdir_p(File.dirname(File.join(folder, name)))
            File.write(File.join(folder, name), text)
          end
          yield Loader.new(arguments: words, environment: environment, directory: folder)
        end
      end
    end
  end
end
