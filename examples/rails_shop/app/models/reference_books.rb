# frozen_string_literal: true

# LAZY LOADING: large YAML files that are parsed on first use and then kept forever ("||="). Nothing is read at boot. A
# cold worker pays for parsing, and keeps its own copy of some megabytes of Ruby objects, unless it was forked from a
# worker that had already read them. bin/prepare writes the files.
module ReferenceBooks
  class << self
    # Facts about a species: Latin name, soil, uses, years between two cuts.
    def glossary = @glossary ||= read("glossary")

    # Jobs of the woodland year, by month and week.
    def calendar = @calendar ||= read("calendar")

    # Rate and days for every postcode district, by weight band.
    def delivery = @delivery ||= read("delivery")

    private

    def read(name) = YAML.load_file(Rails.root.join("storage/books/#{name}.yml"))
  end
end
