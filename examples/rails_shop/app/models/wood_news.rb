# frozen_string_literal: true

# News from the yard for the live page: one item at a time, with a pause before each.
class WoodNews
  Item = Struct.new(:number, :clock, :text)

  PLACES = ["Coupe four", "The willow bed", "The pole barn", "The top nursery",
            "The charcoal kiln", "The packing shed"].freeze
  EVENTS = [
    "a nightjar, though we may be wrong", "three bundles of %s tied and labelled", "the %s stools are shooting again",
    "Captain has carried out the last of the %s", "a dormouse nest under the %s; we cut elsewhere today",
    "the kiln turned from white smoke to blue", "somebody asked for %s and left with an axe as well"
  ].freeze

  attr_reader :started

  def initialize
    @started = Time.current
  end

  def each
    species = ReferenceBooks.glossary.keys
    Settings.live.rounds.times do |number|
      sleep Settings.live.pause_seconds
      place, event = PLACES[number % PLACES.size], EVENTS[number * 3 % EVENTS.size]
      yield Item.new(number + 1, Time.current, "#{place}: #{format(event, species.sample)}.")
    end
  end

  def seconds = (Time.current - started).round(1)
end
