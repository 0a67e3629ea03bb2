# frozen_string_literal: true

module Coppice
  # Counts requests by path, for `warm_up_requests :learned`: in each worker those of its clients, and in the monitor
  # those of all workers. However many paths clients think of, the table is bounded: when it is full, each further path
  # takes one from all counts, so that the frequent ones stay (the algorithm of Misra and Gries).
  class LearnedPaths
    # Segments without digits, which would name a single record, and short enough not to be a token.
    SEGMENT = /(?!\.)[A-Za-z_~.-]{1,20}/.freeze
    PATH = %r{\A/(?:#{SEGMENT}(?:/#{SEGMENT}){0,5}/?)?\z}.freeze
    # Segments that may have an effect although the method is GET, or that make much work. No list can be complete.
    RISKY = %r{
      (?<![a-z]) (?:
        (?:log|sign)[_-]?(?:in|out|off|on|up) | sessions? | o?auth | sso | saml | passwords? | tokens? |
        (?:export|download|backup|delete|destroy|remove|reset|unsubscribe|cancel|confirm|approve)\w* | admin
      ) (?![a-z])
    }xi.freeze

    LIMIT = 10 # paths that a server is warmed up with
    LEAST = 20 # requests until a path can be one of them
    SHARE = 0.01 # and its share of the counted requests

    # Whether requests of this path may be counted.
    #: (String) -> bool
    def self.eligible?(path) = path.ascii_only? && path.match?(PATH) && !path.match?(RISKY)

    # The paths to be warmed up with, the most frequent first.
    #: (Hash[String, Integer]) -> Array[String]
    def self.most_frequent(counts)
      least = [LEAST, counts.values.sum * SHARE].max
      frequent = counts.select { |_, count| count >= least }
      frequent.max_by(LIMIT) { |_, count| count }.map(&:first)
    end

    attr_reader :counts #: Hash[String, Integer]

    # size: maximum number of paths.
    #: (size: Integer, ?counts: Hash[String, Integer]) -> void
    def initialize(size:, counts: {})
      @size = size
      @counts = counts.dup
    end

    #: (String) -> bool
    def known?(path) = @counts.key?(path)

    #: (String, ?Integer) -> void
    def add(path, count = 1)
      if @counts.key?(path) || @counts.size < @size
        @counts[path] = @counts.fetch(path, 0) + count
      else
        make_room(path, count)
      end
    end

    #: () -> void
    def clear = @counts.clear

    private

    def make_room(path, count)
      taken = [count, @counts.each_value.min].min
      @counts.transform_values! { |others| others - taken }
      @counts.delete_if { |_, others| others.zero? }
      @counts[path.dup.freeze] = count - taken if count > taken
    end
  end
end
