# frozen_string_literal: true

require_relative "../support/conformance_corpus"

module Coppice
  # What fuzzing begins with: the requests of test/conformance, of each the part that the parser at hand reads.
  module Seeds
    LONGEST = 4096 # longer ones only test limits, and would be most of what is tried

    def self.of(target) #: (String) -> Array[String]
      parts = ConformanceCorpus.cases.map { |example| part(target, example.bytes) }
      parts.compact.reject { |bytes| bytes.empty? || bytes.bytesize > LONGEST }.uniq
    end

    # A request head, or for the decoder the body behind it.
    def self.part(target, request)
      head, body = request.split("\r\n\r\n", 2)
      target == "parser" ? "#{head}\r\n\r\n" : body
    end
    private_class_method :part
  end
end
