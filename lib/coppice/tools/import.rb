# frozen_string_literal: true

require "coppice/errors"
require "coppice/tools/import/entry"
require "coppice/tools/import/puma"
require "coppice/tools/import/result"
require "coppice/tools/import/translator"
require "coppice/tools/import/unicorn"

module Coppice
  # Makes a configuration for Coppice of one for Puma or Unicorn: `coppice import` and `rails generate coppice:install`.
  module Import
    SERVERS = [Puma, Unicorn].freeze

    # Variables of the environment that replace what a file says, which they do in neither of the two: the directives,
    # and what becomes of those.
    VARIABLES = {
      "PORT" => [%i[bind port listen listeners], "it replaces the addresses of the file"],
      "WEB_CONCURRENCY" => [%i[workers worker_processes],
                            "it replaces the number of workers of the file, and may be a range such as 2..16"]
    }.freeze

    class << self
      # Raises Error for a text that cannot be translated. `file` is its name in messages.
      #: (String, file: String) -> Result
      def translate(text, file:)
        server = server_of(text, file)
        translator = Translator.new(text, server, file: file)
        body = translator.text
        additions = server.additions(translator)
        added = additions.map { |name, _, note| Entry.new(name: name, outcome: :changed, note: note) }
        entries = server.advised(translator.entries + added, translator)
        Result.new(server: server, text: assembled(body, additions, server, file),
          entries: entries + replaced_by_variables(translator, additions))
      end

      # The text of such a file. Raises Error for one that cannot be read.
      #: (String) -> String
      def read(file)
        text = File.read(file, encoding: Encoding::UTF_8)
        raise Error, "#{file} is not in UTF-8: convert it first" unless text.valid_encoding?

        text
      rescue SystemCallError => error
        raise Error, "#{file} cannot be read: #{Coppice.system_error_text(error)}"
      end

      # The usual names of such files.
      def names = SERVERS.map { |server| server::FILE } #: () -> Array[String]

      # The files that are in a folder.
      #: (String) -> Array[String]
      def found(directory) = names.select { |file| File.file?(File.join(directory, file)) }

      private

      # By the file's name, or else by its directives.
      def server_of(text, file)
        name = file.split("/").last(2).join("/").downcase
        named = SERVERS.find { |server| name.include?(server::TITLE.downcase) }
        return named if named

        counts = SERVERS.to_h { |server| [server, Translator.new(text, server, file: file).directives.size] }
        server, count = counts.max_by(&:last)
        raise Error, "#{file} has no directive of Puma or Unicorn" if count.zero?

        server
      end

      # Not for a line that has the variable itself.
      def replaced_by_variables(translator, additions)
        VARIABLES.filter_map do |variable, (names, note)|
          added = additions.map { |name, line, _| line if names.include?(name) }.compact
          next if [*translator.texts_of(*names), *added].all? { |line| line.include?(variable) }

          Entry.new(name: variable, outcome: :changed, note: "where it is set, #{note}")
        end
      end

      MAGIC = /\A(?:#(?:!|.*\b(?:frozen_string_literal|(?:en)?coding)\s*:).*\n)+/.freeze
      private_constant :MAGIC

      # Added lines come first, so that those of the file, which may have conditions, replace them.
      def assembled(body, additions, server, file)
        magic = body[MAGIC].to_s.sub(/\A#!.*\n/, "")
        head = "# Translated from #{file} (#{server::TITLE}) by `coppice import`. `coppice help NAME` explains a line."
        lines = additions.map { |_, line, note| "# #{note}.\n#{line}" }
        parts = [magic.chomp, head, *lines, server.preamble(body), body.sub(MAGIC, "").strip]
        "#{parts.compact.reject(&:empty?).join("\n\n")}\n"
      end
    end
  end
end
