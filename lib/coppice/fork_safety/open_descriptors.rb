# frozen_string_literal: true

require "coppice/log/text"

module Coppice
  module ForkSafety
    # The descriptors that this process has open, as /proc tells them (OS::ProcFolder).
    module OpenDescriptors
      FOLDER = "/proc/self/fd"
      SOCKET = /\Asocket:\[(\d+)\]\z/.freeze

      # What each descriptor refers to, in the kernel's words: 7 => "socket:[4711]". Two descriptors with the same text
      # share one socket or pipe, also across processes. The path of a file may be malformed in the locale, so it
      # is made valid text: a regular expression raises an exception for any other.
      #: () -> Hash[Integer, String]
      def self.links
        Dir.children(FOLDER).each_with_object({}) do |descriptor, found|
          found[descriptor.to_i] = Log::Text.valid(File.readlink("#{FOLDER}/#{descriptor}"))
        rescue Errno::ENOENT
          next # the descriptor of the folder itself
        end
      end

      # The sockets with their inodes: 7 => 4711.
      #: () -> Hash[Integer, Integer]
      def self.sockets = links.transform_values { |link| link[SOCKET, 1]&.to_i }.compact

      # Replaces the descriptor of a readable and writable object by one of /dev/null with the same number. No mode is
      # passed to `reopen`: with one it would forget `autoclose: false`, and the object would later close a number that
      # may by then be another's.
      #: (IO) -> void
      def self.redirect_to_null(io) = io.reopen(File::NULL)
    end
  end
end
