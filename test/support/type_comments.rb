# frozen_string_literal: true

require "prism"
require "rbs"
require "rbs/inline"

module Coppice
  # Checks the type comments of one file: each can be parsed, and the type of a method takes the parameters that the
  # method takes. Needs the gems of the group lint.
  class TypeComments
    ANNOTATIONS = RBS::Inline::AST::Annotations

    # Of a method's parameters: how many positional ones, which keywords, and whether there may be more of each.
    Shape = Struct.new(:required, :optional, :rest, :keywords, :optional_keywords, :other_keywords, keyword_init: true)
    NO_PARAMETERS = Shape.new(required: 0, optional: 0, rest: false, keywords: [], optional_keywords: [],
      other_keywords: false).freeze
    private_constant :ANNOTATIONS, :Shape, :NO_PARAMETERS

    # "file:line: problem" for each.
    def self.problems(paths) #: (Array[String]) -> Array[String]
      paths.flat_map { |path| new(path, File.read(path, encoding: "UTF-8")).problems }
    end

    def initialize(path, source) #: (String, String) -> void
      @path = path
      @program = Prism.parse(source)
      @groups = RBS::Inline::AnnotationParser.parse(@program.comments)
    end

    def problems #: () -> Array[String]
      malformed + unlike
    end

    private

    def malformed
      annotations(@groups).grep(ANNOTATIONS::SyntaxErrorAssertion).map do |annotation|
        problem(annotation.source.comments.first.location.start_line, "no type: #{annotation.source.string.strip}")
      end
    end

    def unlike
      definitions(@program.value).filter_map do |definition|
        line = definition.location.start_line
        types = annotations(groups_of(line)).grep(ANNOTATIONS::MethodTypeAssertion).map(&:method_type)
        next if types.empty? || types.any? { |type| shape_of_type(type) == shape_of_definition(definition) }

        problem(line, "#{definition.name} takes other parameters than #{types.join(' | ')}")
      end
    end

    def problem(line, text) = "#{@path}:#{line}: #{text}"

    def annotations(groups) = groups.flat_map { |group| group.each_annotation.to_a }

    # The comment above the method, or at the end of its first line.
    def groups_of(line) = @groups.select { |group| [line - 1, line].include?(group.line_range.end) }

    def definitions(node)
      inner = node.compact_child_nodes.flat_map { |child| definitions(child) }
      node.is_a?(Prism::DefNode) ? [node, *inner] : inner
    end

    def shape_of_type(type)
      function = type.type
      Shape.new(
        required: function.required_positionals.size + function.trailing_positionals.size,
        optional: function.optional_positionals.size,
        rest: !function.rest_positionals.nil?,
        keywords: function.required_keywords.keys.sort,
        optional_keywords: function.optional_keywords.keys.sort,
        other_keywords: !function.rest_keywords.nil?
      )
    end

    def shape_of_definition(definition)
      parameters = definition.parameters or return NO_PARAMETERS
      keywords = parameters.keywords.group_by(&:class)
      Shape.new(
        required: parameters.requireds.size + parameters.posts.size,
        optional: parameters.optionals.size,
        rest: !parameters.rest.nil?,
        keywords: names(keywords[Prism::RequiredKeywordParameterNode]),
        optional_keywords: names(keywords[Prism::OptionalKeywordParameterNode]),
        other_keywords: !parameters.keyword_rest.nil?
      )
    end

    def names(keywords) = keywords.to_a.map(&:name).sort
  end
end
