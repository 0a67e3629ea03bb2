# frozen_string_literal: true

require "test_helper"
require "coppice/cli/disk_limit"
require "coppice/config/settings"
require "coppice/listeners/address"
require_relative "../../support/documentation"

module Coppice
  class CLI
    class DiskLimitTest < TestCase
      def warning(limit, lobby: true, **values)
        values = { worker_processes: 2, listen: [Listeners::Address.parse(8080, lobby: lobby)],
                   buffer_disk_limit: limit, request_buffering: true, rewindable_input: true,
                   max_body_bytes: nil }.merge(values)
        DiskLimit.new(Config::Settings.new(values: values)).warning
      end

      test "a limit that leaves no room for large bodies is named, with what becomes of them" do
        assert_equal "buffer_disk_limit 0 leaves no room for bodies of more than 112 KiB, which are refused with " \
                     "507: raise it, or set request_buffering or rewindable_input false", warning(0)
        assert_match(/\Abuffer_disk_limit 100000 /, warning(100_000))
      end

      test "the pages name the same size" do
        size = "#{DiskLimit::MEMORY_BYTES / 1024} KiB"

        assert_match(/A body over #{size} counts/, Config::OPTIONS[:buffer_disk_limit].doc)
        %w[architecture http].each do |name|
          page = File.read("#{Documentation::FOLDER}/#{name}.md", encoding: "UTF-8")
          assert_includes page, size
        end
      end

      test "nothing is said of a larger one, nor where the lobby keeps no large bodies" do
        assert_nil warning(200_000)
        assert_nil warning(0, request_buffering: false)
        assert_nil warning(0, rewindable_input: false)
        assert_nil warning(0, lobby: false)
        assert_nil warning(0, worker_processes: 0)
        assert_nil warning(0, max_body_bytes: 100_000)
      end
    end
  end
end
