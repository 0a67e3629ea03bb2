# frozen_string_literal: true

module Coppice
  class CLI
    # A text for a terminal of 80 columns.
    module Paragraph
      WIDTH = 78

      #: (String) -> String
      def self.of(text) = text.gsub(/(.{1,#{WIDTH}})(?: |\z)/o, "\\1\n").chomp
    end
  end
end
