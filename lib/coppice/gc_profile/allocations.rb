# frozen_string_literal: true

module Coppice
  module GCProfile
    # What a request of one application allocates, as a worker has measured it. A plain value that also travels as a
    # line of text: on the board, and in the file of a profile.
    #
    #   requests    number of measured requests
    #   cpu_us      CPU time of one request, in microseconds
    #   minor_us    CPU time of a minor collection that frees nothing: the fixed cost of each
    #   malloc      bytes that one request allocates with malloc, nearly all of them garbage afterwards
    #   pools       slot size in bytes => [slots that one request takes, slots in use after a collection]
    Allocations = Struct.new(:requests, :cpu_us, :minor_us, :malloc, :pools, keyword_init: true) do
      # The opposite of to_s; nil for an empty text. Raises ArgumentError for a malformed one.
      #: (String) -> Allocations?
      def self.parse(text)
        return if text.empty?

        numbers, pools = text.split.partition { |word| word.include?("=") }
        values = numbers.to_h { |word| word.split("=", 2).then { |name, value| [name.to_sym, Integer(value, 10)] } }
        missing = members - [:pools] - values.keys
        raise ArgumentError, "there is no #{missing.join(', no ')}" unless missing.empty?

        new(pools: pools.to_h { |word| pool(word) }, **values).freeze
      end

      #: (String) -> [Integer, [Integer, Integer]]
      def self.pool(word)
        size, taken, live = word.match(%r{\A(\d+):(\d+)/(\d+)\z})&.captures&.map { |digits| Integer(digits, 10) }
        raise ArgumentError, "no pool: #{word}" unless live

        [size, [taken, live]]
      end
      private_class_method :pool

      #: () -> String
      def to_s
        numbers = "requests=#{requests} cpu_us=#{cpu_us} minor_us=#{minor_us} malloc=#{malloc}"
        [numbers, *pools.map { |size, (taken, live)| "#{size}:#{taken}/#{live}" }].join(" ")
      end
    end
  end
end
