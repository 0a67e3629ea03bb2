# frozen_string_literal: true

require "coppice/observer/path"

module Coppice
  class Observer
    # One metric: what Prometheus is told of it, and where its value is in the Hash of Stats.
    #
    #   name    without _total, which the text adds to a counter's
    #   type    :counter, :gauge, :histogram or :info
    #   unit    a base unit that ends the name; nil for none
    #   from    the path of its value, see Path
    #   value   what to make of that value, as a Proc that returns a number, or a Hash of numbers by their labels; nil
    #           for the value itself
    #   added   the labels of that Hash
    #
    # A metric is left out where its value is nil.
    Metric = Struct.new(:name, :type, :unit, :from, :value, :added, :help, keyword_init: true) do
      # Pairs of labels and a value; the value of a histogram is the Hash of Stats::Histogram.
      #: (Hash[Symbol, untyped]) -> Array[[Hash[Symbol, untyped], untyped]]
      def samples(stats)
        pairs = Path.new(from).find(stats)
        pairs = pairs.flat_map { |labels, found| expand(labels, found) } if value
        pairs.reject { |_, found| found.nil? }
      end

      #: () -> Array[Symbol]
      def labels = Path.new(from).labels + added.to_a

      # As in the text for Prometheus, and in queries.
      #: () -> String
      def full_name
        { counter: "#{name}_total", info: "#{name}_info" }.fetch(type, name.to_s)
      end

      private

      def expand(labels, found)
        result = value.call(found)
        result.is_a?(Hash) ? result.map { |more, number| [labels.merge(more), number] } : [[labels, result]]
      end
    end
  end
end
