# frozen_string_literal: true

module Coppice
  # A class of findings that was examined: which peers differ, how, and which reading is correct.
  class Difference
    PEERS = %w[Puma Pitchfork Falcon].freeze

    # Which reading is correct, as the page marks it: Coppice's, or both.
    RIGHT = { coppice: "", choice: "†" }.freeze

    attr_reader :what #: String
    attr_reader :peers #: Array[String]
    attr_reader :why #: String
    attr_reader :examples #: Array[String]

    # With `reasons`: the reasons of Coppice's refusal of requests that a peer accepts. With a block: findings of these
    # `kinds` for which the block returns true. Each peer must differ for at least one of the examples.
    def initialize(what, peers:, right:, why:, examples:, reasons: nil, kinds: [:only_they_accept], &condition)
      raise ArgumentError, "#{what}: give `reasons` or a block that selects the findings" unless reasons || condition

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

    # Whether a finding of one of the examples belongs to this class.
    def shown_by?(findings) #: (Array[Finding]) -> bool
      findings.any? { |finding| @examples.include?(finding.request) && covers?(finding) }
    end

    def to_row #: () -> String
      "| #{@what} | #{@peers == PEERS ? "all" : @peers.join(", ")} | #{@why}#{@right} |"
    end
  end
end
