# frozen_string_literal: true

module Coppice
  # A class of findings that somebody looked at: who differs, how, and who is right.
  class Difference
    # Who is right, as the page says it.
    RIGHT = { coppice: "Coppice", choice: "both", peer: "the peer" }.freeze

    attr_reader :what #: String
    attr_reader :peers #: Array[String]
    attr_reader :why #: String
    attr_reader :examples #: Array[String]

    # `reasons` are those that we refuse with while they accept; `kinds` are other kinds of findings, narrowed by the block.
    # Each of the peers is seen to differ with one of the examples at least.
    def initialize(what, peers:, right:, why:, examples:, reasons: nil, kinds: [:only_they_accept], &condition)
      raise ArgumentError, "#{what}: say which findings are meant" unless reasons || condition

      @what = what
      @peers = peers
      @right = RIGHT.fetch(right)
      @why = why
      @examples = examples.map { |example| example.b.freeze }.freeze
      @kinds = kinds
      @condition = condition || ->(finding) { reasons.include?(finding.ours[:why]) }
      freeze
    end

    def covers?(finding) #: (Finding) -> bool
      @peers.include?(finding.peer) && @kinds.include?(finding.kind) && @condition.call(finding)
    end

    # Whether one of our examples, among other requests, came out as a finding of this class.
    def shown_by?(findings) #: (Array[Finding]) -> bool
      findings.any? { |finding| @examples.include?(finding.request) && covers?(finding) }
    end

    def to_row #: () -> String
      "| #{@what} | #{@peers.join(", ")} | #{@right} | #{@why} |"
    end
  end
end
