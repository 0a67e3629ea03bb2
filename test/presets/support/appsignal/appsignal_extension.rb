# frozen_string_literal: true

# In the place of the library that AppSignal's installation downloads: notes which processes start it.
module Appsignal
  class Extension
    Data = Class.new

    class << self
      def start = File.write(ENV.fetch("STARTS"), "#{Process.pid}\n", mode: "a")
      def data_map_new = MockData.new
      def data_array_new = MockData.new
      def allocation_count = 0
    end
  end
end
