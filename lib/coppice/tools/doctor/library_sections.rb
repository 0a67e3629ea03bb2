# frozen_string_literal: true

module Coppice
  module Doctor
    # The libraries of a diagnosis in its text. An application has dozens of them, and most need nothing: these are a
    # line of names, unless all are asked for. The others keep their advice, also those that this run has not used: its
    # requests are only a few of those that the application will serve.
    class LibrarySections
      UNUSED = "libraries that are loaded, but that this run has not used"
      NOTHING = /\A(?:nothing\.?)?\z/.freeze # a longer text names what to do for some use
      private_constant :UNUSED, :NOTHING

      attr_reader :urgent #: Array[Libraries::Library] -- those that need care

      #: (Array[Libraries::Library], all: bool) -> void
      def initialize(libraries, all:)
        @urgent, @others = libraries.partition(&:severity)
        @all = all
      end

      # Sections of libraries that do not need care. Each section is its lines.
      #: () -> Array[Array[String]]
      def sections = (@all ? complete : short).reject { |_, *rows| rows.empty? }

      private

      def complete
        used, unused = @others.partition(&:used)
        [[UNUSED, *rows(unused, "if you use it")], ["other libraries that Coppice knows", *rows(used, "you")]]
      end

      def short
        configured, left = @others.partition(&:configured)
        own, configured = configured.partition { |library| nothing?(library.advice) }
        quiet, advised = left.partition { |library| nothing?(library.advice) }
        used, unused = advised.partition(&:used)
        [["libraries that may need something of you, depending on their use", *advice(used)],
         ["#{UNUSED}: if you use it", *advice(unused)],
         ["libraries for which you have configured something", *advice(configured)],
         ["other libraries that Coppice knows (--all prints their rows)",
          *names("you handle them yourself", own), *names("nothing to do", quiet)]]
      end

      def advice(libraries) = libraries.map { |library| "  #{library.title}: #{library.advice}" }

      def names(title, libraries)
        libraries.empty? ? [] : ["  #{title} (#{libraries.size}): #{libraries.map(&:name).join(', ')}"]
      end

      def rows(libraries, you)
        libraries.flat_map do |library|
          facts = { "Coppice" => library.does, you => library.advice }.reject { |_, text| nothing?(text) }
          ["  #{library.title}: #{library.verdict}", *facts.map { |name, text| "    #{name}: #{text}" }]
        end
      end

      def nothing?(text) = NOTHING.match?(text.to_s)
    end
  end
end
