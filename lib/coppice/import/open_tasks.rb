# frozen_string_literal: true

require "coppice/import/call"
require "coppice/import/foreign"
require "coppice/import/source"

module Coppice
  module Import
    # What a configuration that was made for another server still asks its user to change: the comments of
    # `coppice import`, and constants of that server in the blocks of hooks, which nobody calls before the server runs.
    class OpenTasks
      TODO = /\A\s*#{Regexp.escape(Source::TODO)}(.*)/.freeze
      # The constant of a server => its gem.
      SERVERS = { "Puma" => "puma", "Unicorn" => "unicorn" }.freeze
      CONSTANTS = Foreign.new(constants: SERVERS.keys, features: /(?!)/)
      BLOCKS = /\A(?:after|before|on)_|\Aservice\z/.freeze # their calls
      private_constant :TODO, :SERVERS, :CONSTANTS, :BLOCKS

      # file: its name in messages. gems: the names of those in the bundle.
      #: (String, file: String, gems: Array[String]) -> void
      def initialize(text, file:, gems:)
        @text = text
        @file = file
        @gems = gems
      end

      # In lines for people.
      def to_a #: () -> Array[String]
        comments + constants
      end

      private

      def comments
        @text.each_line.with_index(1).filter_map do |line, number|
          task = line[TODO, 1]
          "#{@file}:#{number}: TODO: #{task.strip}" if task
        end
      end

      def constants
        return [] if absent.empty?

        source = Source.new(@text)
        nodes = source.root.walk.to_a
        questions = nodes.select { |node| node.type == :DEFINED }
        found = absent - CONSTANTS.names(questions.flat_map { |node| node.walk.to_a })
        nodes.flat_map { |node| in_block(node, source, found) }
      end

      # The servers that the text names and the bundle lacks.
      def absent
        @absent ||= SERVERS.reject { |name, gem| @gems.include?(gem) || !@text.match?(/\b#{name}\b/) }.keys
      end

      def in_block(node, source, names)
        call = Call.of(node, source) if node.type == :ITER
        return [] unless call && BLOCKS.match?(call.name)

        (CONSTANTS.names(node.walk) & names).map do |name|
          use = node.walk.find { |one| CONSTANTS.names([one]) == [name] }
          "#{@file}:#{use.line}: #{call.name} uses #{name}, which is not in the bundle: it will raise a NameError"
        end
      end
    end
  end
end
