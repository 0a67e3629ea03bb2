# frozen_string_literal: true

require "coppice/rspec"
require_relative "../libraries"

%i[DeadThread CopiedFlag SharedConnection KeptConnection NativeLock].each do |name|
  RSpec.describe(name) do
    %w[before after].each do |time|
      it("works #{time} the refork") { expect(Libraries.fetch(name).works?).to be true }
    end
  end
end
