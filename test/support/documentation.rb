# frozen_string_literal: true

module Coppice
  # The examples of a page in docs, for tests that use them as they stand there.
  class Documentation
    FOLDER = File.expand_path("../../docs", __dir__)
    BLOCK = /^```\w+\n# ([^\n]+)\n(.*?)^```$/m

    def initialize(page) #: (String) -> void
      @blocks = File.read(File.join(FOLDER, page), encoding: "UTF-8").scan(BLOCK).to_h
    end

    # The block whose first line is this comment, with some of its values replaced. Each of them must be there.
    def block(name, values = {}) #: (String, ?Hash[String, String]) -> String
      values.reduce(@blocks.fetch(name)) do |text, (old, new)|
        raise KeyError, "no #{old.inspect} in #{name}" unless text.include?(old)

        text.gsub(old) { new }
      end
    end
  end
end
