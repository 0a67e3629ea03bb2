# frozen_string_literal: true

module Coppice
  class Observer
    # Where a value is in the Hash of Stats: "server.workers" names keys, "slots[slot].requests" goes through an Array
    # whose entries have the label under the same key (or "label=key"), "exits{role}{cause}" through Hashes whose keys
    # are the label.
    class Path
      STEP = /(?<key>\w+)|\[(?<entries>[\w,=]+)\]|\{(?<keys>\w+)\}/.freeze

      #: (String) -> void
      def initialize(text)
        @text = text
      end

      #: (Hash[Symbol, untyped]) -> Array[[Hash[Symbol, untyped], untyped]]
      def find(stats)
        steps.reduce([[{}, stats]]) { |pairs, step| pairs.flat_map { |labels, value| take(step, labels, value) } }
      end

      #: () -> Array[Symbol]
      def labels = steps.flat_map { |_, entries, keys| keys ? [keys.to_sym] : names(entries.to_s).keys }

      private

      # Label => key of the entries of an Array.
      def names(entries)
        entries.split(",").to_h { |name| name.split("=").map(&:to_sym).then { |label, key| [label, key || label] } }
      end

      def steps = @text.scan(STEP)

      def take((key, entries, keys), labels, value)
        return [] if value.nil?
        return [[labels, value[key.to_sym]]] if key
        return value.map { |name, part| [labels.merge(keys.to_sym => name), part] } if keys

        names = names(entries)
        value.map { |entry| [labels.merge(names.transform_values { |name| entry[name] }), entry] }
      end
    end
  end
end
