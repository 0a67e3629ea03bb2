# frozen_string_literal: true

require "coppice/tools/cold/valid_text"

module Coppice
  module Cold
    # The result for one path. It is plain data, because a fork sends it to its parent, and all its texts are valid
    # UTF-8. A path that failed has only path, status and failure.
    PathAnalysis = Struct.new(
      :path,      # String
      :status,    # Integer? -- of the first response
      :location,  # String? -- where a redirect leads
      :failure,   # Failure?
      :times,     # Array[Stopwatch::Time] -- of the first play and of the second
      :memory,    # Array[Hash[Symbol, Integer]] -- growth of private memory in each play, in KiB
      :files,     # Array[String] -- absolute paths
      :templates, # Array[String]
      :defined_methods,   # Array[Definitions::Group]
      :defined_constants, # Array[Definitions::Group]
      :memos, # Array[Memos::Memo]
      :inline_caches, # Hash[Symbol, Integer]
      :retained, # Array[RetainedObjects::Site]
      keyword_init: true
    ) do
      def initialize(**found) = super(**ValidText.of(found))

      # Methods that the request defined other than by loading a file or compiling a template.
      def runtime_methods #: () -> Array[Definitions::Group]
        beyond_files(defined_methods)
      end

      def runtime_constants #: () -> Array[Definitions::Group]
        beyond_files(defined_constants)
      end

      private

      def beyond_files(groups) = groups.reject { |group| (files + templates).include?(group.file) }
    end
  end
end
