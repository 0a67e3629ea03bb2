# frozen_string_literal: true

module Coppice
  module Import
    # The sentences about names that a file uses and Coppice does not have. No sentence without names.
    module Missing
      # For a comment in the file.
      #: (Array[String]) -> Array[String]
      def self.todos(names) = names.empty? ? [] : ["Coppice has no #{names.join(', no ')}"]

      # For the report.
      #: (Array[String]) -> Array[String]
      def self.remarks(names) = names.empty? ? [] : ["it uses #{names.join(', ')}, which Coppice does not have"]
    end
  end
end
