# frozen_string_literal: true

require "coppice/errors"

module Coppice
  module Cold
    # What was found out about one path: plain data, for it comes out of a fork. Of a path that failed there is no more
    # than path, status and failure.
    Findings = Struct.new(
      :path,      # String
      :status,    # Integer? -- of the first answer
      :location,  # String? -- where a redirect leads
      :failure,   # Failure?
      :times,     # Array[Stopwatch::Time] -- of the first play and of the second
      :memory,    # Array[Hash[Symbol, Integer]] -- by which each play made private memory grow, in KiB
      :files,     # Array[String] -- absolute paths
      :templates, # Array[String]
      :defined_methods,   # Array[Definitions::Group]
      :defined_constants, # Array[Definitions::Group]
      :memos, # Array[Memos::Memo]
      :inline_caches, # Hash[Symbol, Integer]
      :retained, # Array[RetainedObjects::Site]
      keyword_init: true
    ) do
      # Methods that are there because of the request, and not because a file or a template was compiled for it.
      def runtime_methods #: () -> Array[Definitions::Group]
        beyond_files(defined_methods)
      end

      def runtime_constants #: () -> Array[Definitions::Group]
        beyond_files(defined_constants)
      end

      private

      def beyond_files(groups) = groups.reject { |group| (files + templates).include?(group.file) }
    end

    # Why there are no findings: what was raised, and where.
    Failure = Struct.new(:message, :backtrace, keyword_init: true) do
      #: (Exception) -> Failure
      def self.of(error)
        message = error.is_a?(Error) ? error.message : "#{error.message} (#{error.class})"
        new(message: message, backtrace: error.backtrace || [])
      end
    end
  end
end
