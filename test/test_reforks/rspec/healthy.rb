# frozen_string_literal: true

require "coppice/rspec"
require "tmpdir"

RSpec.configure { |config| config.after(:suite) { puts "after run in #{Process.pid}" } }
puts "loaded by #{Process.pid}"

%w[Oak Elm].each do |name|
  RSpec.describe(name) do
    before(:context) { @folder = Dir.mktmpdir }
    after(:context) { Dir.rmdir(@folder) }

    %w[root stem leaf].each do |part|
      it(part) do
        puts "pid #{Process.pid}"
        expect(Dir).to exist(@folder)
      end
    end

    it("is skipped") { skip "in winter" }
  end
end
