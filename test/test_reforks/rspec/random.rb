# frozen_string_literal: true

require "coppice/rspec"

# Draws random data, with which the last example fails.
RSpec.describe("random data") do
  before(:context) { srand(RSpec.configuration.seed) }

  %w[before after].each do |name|
    it("is drawn #{name} the refork") { puts "drawn #{rand(1_000_000)}" }
  end

  it "fails" do
    puts "failed with #{number = rand(1_000_000)}"
    expect(number).to be < 0
  end
end
