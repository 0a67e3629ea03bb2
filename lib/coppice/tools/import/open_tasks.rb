# frozen_string_literal: true

require "coppice/tools/import/call"
require "coppice/tools/import/foreign"
require "coppice/tools/import/source"

module Coppice
  module Import
    # What a configuration that was made for another server still asks its user to change: the comments of
    # `coppice import`, and constants of that server in the blocks of hooks, which nobody calls before the server runs.
    class OpenTasks
      TODO = /#{Regexp.escape(Source::TODO)}(.*)/.freeze
      # The constant of a server => its gem.
      SERVERS = { "Puma" => "puma", "Unicorn" => "unicorn" }.freeze
      CONSTANTS = Foreign.new(constants: SERVERS.keys, features: /(?!)/)
      BLOCKS = /\A(?:after|before|on)_|\Aservice\z/.freeze # their calls
      private_constant :TODO, :SERVERS, :CONSTANTS, :BLOCKS

      # The text may have bytes that are no UTF-8: Ruby reads the file all the same, if they are in a comment, or if a
      # comment names its encoding.
      # file: its name in messages. gems: the names of those in the bundle.
      #: (String, file: String, gems: Array[String]) -> void
      def initialize(text, file:, gems:)
        @source_text = text
        @text = text.scrub("?")
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

      # The first use of each in a block, unless the text asks anywhere whether it is there.
      def constants
        return [] if absent.empty?

        asked, uses = [], []
        source = Source.new(@source_text)
        walk(source.root, source) do |node, hook|
          asked.concat(CONSTANTS.names(node.walk)) if node.type == :DEFINED
          CONSTANTS.names([node]).each { |name| uses << [hook, name, node.line] } if hook
        end
        uses.uniq { |hook, name, _| [hook, name] }.select { |_, name, _| (absent - asked).include?(name) }
            .map { |use| sentence(*use) }
      end

      # The servers that the text names and the bundle lacks.
      def absent
        @absent ||= SERVERS.reject { |name, gem| @gems.include?(gem) || !@text.match?(/\b#{name}\b/) }.keys
      end

      # Yields each node, with the hook in whose block it is.
      def walk(node, source, hook = nil, &block)
        hook ||= hook_of(node, source)
        yield node, hook
        node.nodes.each { |child| walk(child, source, hook, &block) }
      end

      def hook_of(node, source)
        call = Call.of(node, source) if node.type == :ITER
        call if call && BLOCKS.match?(call.name)
      end

      def sentence(hook, name, line)
        "#{@file}:#{line}: #{hook.name} uses #{name}, which is not in the bundle: it will raise a NameError"
      end
    end
  end
end
