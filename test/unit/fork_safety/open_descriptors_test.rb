# frozen_string_literal: true

require "test_helper"
require "socket"
require "coppice/fork_safety/open_descriptors"

module Coppice
  module ForkSafety
    class OpenDescriptorsTest < TestCase
      test "an open file whose name is no text is among the links, and its malformed bytes are replaced" do
        with_file("caf\xE9.\u00E9") do |folder, file|
          link = OpenDescriptors.links.fetch(file.fileno)

          assert_equal ["#{folder}/caf\uFFFD.\u00E9", Encoding::UTF_8], [link, link.encoding]
        end
      end

      test "the sockets are found beside such a file" do
        with_file("caf\xE9") do
          ours, theirs = UNIXSocket.pair
          inodes = [ours, theirs].to_h { |socket| [socket.fileno, socket.stat.ino] }

          assert_equal inodes, OpenDescriptors.sockets.slice(*inodes.keys)
        ensure
          [ours, theirs].each(&:close)
        end
      end

      private

      def with_file(name)
        with_tmpdir do |folder|
          folder = File.realpath(folder)
          File.open("#{folder}/#{name}", "w") { |file| yield folder, file }
        end
      end
    end
  end
end
