# frozen_string_literal: true

require "test_helper"
require "coppice/cli/warnings"
require "coppice/config/settings"
require "coppice/listeners/address"
require_relative "../../support/documentation"

module Coppice
  class CLI
    # StopTimeTest has those about a graceful stop.
    class WarningsTest < TestCase
      test "a hard limit of descriptors that is too low for so many workers is named, with what they need" do
        assert_equal ["the monitor needs 6314 file descriptors for 1000 workers, and may have 4096: raise the hard " \
                      "limit (ulimit -Hn)"], warnings_of_workers(1000, 4096)
      end

      test "nothing is said of a limit that is high enough, nor of a number of workers that is not known" do
        assert_empty warnings_of_workers(1000, 6314)
        assert_empty warnings_of_workers(1000, 4096, lobby: false)
        assert_empty warnings_of_workers(:auto, 64)
        assert_empty warnings_of_workers(0, 64)
      end

      test "a buffer_disk_limit that leaves no room for large bodies is named, with what becomes of them" do
        assert_equal ["buffer_disk_limit 0 leaves no room for bodies of more than 112 KiB, which are refused with " \
                      "507: raise it, or set request_buffering or rewindable_input false"], warnings_of_disk(0)
        assert_match(/\Abuffer_disk_limit 100000 /, warnings_of_disk(100_000).first)
      end

      test "the pages name the same size" do
        size = "#{Warnings::MEMORY_BYTES / 1024} KiB"

        assert_match(/A body over #{size} counts/, Config::OPTIONS[:buffer_disk_limit].doc)
        %w[architecture http].each do |name|
          page = File.read("#{Documentation::FOLDER}/#{name}.md", encoding: "UTF-8")
          assert_includes page, size
        end
      end

      test "nothing is said of a larger limit, nor where the lobby keeps no large bodies" do
        assert_empty warnings_of_disk(200_000)
        assert_empty warnings_of_disk(0, request_buffering: false)
        assert_empty warnings_of_disk(0, rewindable_input: false)
        assert_empty warnings_of_disk(0, lobby: false)
        assert_empty warnings_of_disk(0, worker_processes: 0)
        assert_empty warnings_of_disk(0, max_body_bytes: 100_000)
      end

      test "actions at a port without a token are warned of, with the address" do
        assert_equal ["admin_actions without admin_token lets every user of this machine act on the server at " \
                      "127.0.0.1:9293: set admin_token, or let admin_listen be a Unix socket"],
          warnings_of_actions("127.0.0.1:9293")
        assert_equal 1, warnings_of_actions("/run/admin.sock", "[::1]:9293").size
      end

      test "nothing is said with a token, without actions, at a Unix socket, nor where nothing listens" do
        assert_empty warnings_of_actions("127.0.0.1:9293", admin_token: "a long enough token")
        assert_empty warnings_of_actions("127.0.0.1:9293", admin_actions: false)
        assert_empty warnings_of_actions("/run/admin.sock")
        assert_empty warnings({ admin_actions: true })
      end

      test "what is missing without /proc is said in one line" do
        assert_match(/\Athere is no \/proc: commands .*, memory .*, and forks .*\z/,
          warnings({}, proc: "/no/proc").first)
      end

      private

      def warnings(values, **platform)
        Warnings.new(Config::Settings.new(values: values), {}, descriptors: 1_000_000, **platform).to_a
      end

      def warnings_of_workers(workers, limit, lobby: true)
        listen = [Listeners::Address.parse(8080, lobby: lobby)]
        warnings({ worker_processes: workers, listen: listen }, descriptors: limit)
      end

      def warnings_of_disk(limit, lobby: true, **values)
        warnings({ worker_processes: 2, listen: [Listeners::Address.parse(8080, lobby: lobby)],
                   buffer_disk_limit: limit, request_buffering: true, rewindable_input: true,
                   max_body_bytes: nil }.merge(values))
      end

      def warnings_of_actions(*addresses, **values)
        listen = addresses.map { |address| Listeners::Address.parse(address) }
        warnings({ admin_listen: listen, admin_actions: true, **values })
      end
    end
  end
end
