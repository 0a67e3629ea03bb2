# frozen_string_literal: true

require "cgi/escape"

module Bench
  # Common parts of all plots: an SVG that is readable on paper and on a dark screen, with title, text, and round
  # numbers for an axis. Plots label lines and bars directly, not only in a legend.
  class Plot
    WIDTH = 900
    TOP = 56 # title and subtitle
    COLOURS = 4

    # Hues that people with colour blindness can tell apart, each in a darker tone and, for dark screens, in a lighter
    # one.
    STYLE = <<~CSS.freeze
      svg { background: #fff; font: 13px system-ui, sans-serif; --ink: #222; --rule: #dee2e6; --c0: #d9480f; --c1: #1864ab; --c2: #2b8a3e; --c3: #7048e8 }
      @media (prefers-color-scheme: dark) {
        svg { background: #16191d; --ink: #e6e8ea; --rule: #343a40; --c0: #ff922b; --c1: #4dabf7; --c2: #69db7c; --c3: #b197fc }
      }
      text { fill: var(--ink) } .title { font-size: 16px; font-weight: 600 } .rule { stroke: var(--rule) } .end { text-anchor: end } .middle { text-anchor: middle }
      .line { fill: none; stroke-width: 2.5 } .in { fill: #fff; font-size: 11px; text-anchor: middle }
      #{(0...COLOURS).map { |i| ".s#{i} { stroke: var(--c#{i}) } text.t#{i}, .f#{i} { fill: var(--c#{i}) }" }.join("\n")}
      @media (prefers-color-scheme: dark) { .in { fill: #16191d } }
    CSS

    #: (String, subtitle: String) -> void
    def initialize(title, subtitle:)
      @title = title
      @subtitle = subtitle
    end

    #: () -> String the SVG
    def to_s
      <<~SVG
        <svg xmlns="http://www.w3.org/2000/svg" width="#{WIDTH}" height="#{height}" viewBox="0 0 #{WIDTH} #{height}" role="img" aria-label="#{escape(@title)}">
        <style>#{STYLE}</style>
        #{[text(16, 24, @title, "title"), text(16, 44, @subtitle), *parts].join("\n")}
        </svg>
      SVG
    end

    private

    def text(left, baseline, words, style = nil)
      attribute = " class=\"#{style}\"" if style
      "<text x=\"#{round(left)}\" y=\"#{round(baseline)}\"#{attribute}>#{escape(words.to_s)}</text>"
    end

    def rule(from, to)
      (left, top), (right, bottom) = from, to
      "<line class=\"rule\" x1=\"#{round(left)}\" y1=\"#{round(top)}\" x2=\"#{round(right)}\" y2=\"#{round(bottom)}\"/>"
    end

    # About five round numbers, from 0 to the first that is not below `most`.
    def ticks(most)
      return [0, 1] unless most.positive?

      power = 10**Math.log10(most / 5.0).floor
      step = [1, 2, 5, 10].map { |factor| factor * power }.find { |size| size * 5 >= most }
      0.step(by: step).take((most / step.to_f).ceil + 1)
    end

    def thousands(number) = number.round.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",")

    def round(number) = number.to_f.round(1)

    def escape(words) = CGI.escapeHTML(words)
  end
end
