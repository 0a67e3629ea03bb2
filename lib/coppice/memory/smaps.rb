# frozen_string_literal: true

require "coppice/errors"
require "coppice/memory/mapping"
require "coppice/memory/rollup"

module Coppice
  module Memory
    # Parses the list of a process's mappings with their sizes (proc(5), /proc/PID/smaps).
    module Smaps
      HEADER = /^(?<start>\h+)-(?<finish>\h+) (?<permissions>\S{4}) \h+ \h+:\h+ \d+ *(?<name>.*)$/

      # Raises what Rollup.of raises.
      #: (Integer | String) -> Array[Mapping]
      def self.of(pid) = parse(File.binread("/proc/#{pid}/smaps")) # paths are bytes

      # In the order of their addresses.
      #: (String) -> Array[Mapping]
      def self.parse(text)
        text.split(/^(?=\h+-\h+ )/).map { |section| mapping(section) }.freeze
      end

      def self.mapping(section)
        header = HEADER.match(section) or raise Error, "not a mapping: #{section.lines.first}"
        Mapping.new(start: header[:start].hex, finish: header[:finish].hex, permissions: header[:permissions],
          name: header[:name], sizes: Rollup.parse(section)).freeze
      end
      private_class_method :mapping
    end
  end
end
