# frozen_string_literal: true

require "coppice/rspec"

# What ends a suite early. The second example of each group does it, in generation 1.
{
  "Exit" => -> { exit 7 },
  "Kill" => -> { Process.kill(:KILL, Process.pid) },
  "Fork" => -> { Process.wait(fork { exit 3 }) },
  "Unsafe" => -> { Coppice::Info.no_longer_fork_safe! },
  "Hang" => lambda do
    puts "in the test"
    $stdout.flush
    Thread.pass until RSpec.world.wants_to_quit
  end,
  "Failure" => -> { raise "broken" }
}.each do |name, ending|
  RSpec.describe("#{name}Test") do
    it("1") { expect(1).to eq 1 }
    it("2") { ending.call }
    it("3") { puts "the third test ran" }
  end
end

RSpec.describe("SeveralTest", :aggregate_failures) do
  it("1") { expect(1).to eq 1 }

  it "2" do
    expect(1).to eq 2
    expect(3).to eq 4
  end
end

RSpec.describe("ContextTest") do
  after(:context) { raise "in a context hook" }
  it("1") { expect(1).to eq 1 }
  it("2") { expect(1).to eq 1 }
end
