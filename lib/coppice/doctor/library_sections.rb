# frozen_string_literal: true

module Coppice
  module Doctor
    # The libraries of a diagnosis in its text. An application has dozens of them, and most need nothing: these are a
    # line of names, unless all are asked for.
    class LibrarySections
      attr_reader :urgent #: Array[Libraries::Library] -- those that need care

      #: (Array[Libraries::Library], all: bool) -> void
      def initialize(libraries, all:)
        @urgent, others = libraries.partition(&:severity)
        @used, @unused = others.partition(&:used)
        @all = all
      end

      # Those that do not need care. Each section is its lines.
      #: () -> Array[Array[String]]
      def sections = (@all ? complete : short).reject { |_, *rows| rows.empty? }

      private

      def complete
        [["libraries that are loaded, but that this run has not used", *rows(@unused, "if you use it")],
         ["other libraries that Coppice knows", *rows(@used, "you")]]
      end

      def short
        left = @used.reject(&:configured)
        advised, quiet = left.partition { |library| library.advice && !library.advice.start_with?("nothing") }
        [["libraries that may need something of you, depending on their use",
          *advised.map { |library| "  #{library.title}: #{library.advice}" }],
         ["other libraries that Coppice knows (--all prints their rows)",
          *names("loaded, but not used by this run", @unused),
          *names("you have configured something for them", @used - left),
          *names("nothing to do for most uses", quiet)]]
      end

      def names(title, libraries)
        libraries.empty? ? [] : ["  #{title} (#{libraries.size}): #{libraries.map(&:name).join(', ')}"]
      end

      def rows(libraries, you)
        libraries.flat_map do |library|
          facts = { "Coppice" => something(library.does), you => something(library.advice) }.compact
          ["  #{library.title}: #{library.verdict}", *facts.map { |name, text| "    #{name}: #{text}" }]
        end
      end

      # Without what is nothing to do.
      def something(text) = (text unless text.to_s.match?(/\A(?:nothing(?:\z|: )|\z)/))
    end
  end
end
