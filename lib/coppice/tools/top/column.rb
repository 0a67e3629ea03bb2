# frozen_string_literal: true

require "coppice/tools/top/units"

module Coppice
  module Top
    # A column of the table of processes.
    #
    #   title     its head
    #   width     columns of the terminal
    #   keep      where there is little room, columns with a low number are left out first
    #   value     what the table is sorted by, of a process and a Reading
    #   text      how that value is shown
    #   upwards   whether it is sorted upwards at first: names and places are, amounts are not
    Column = Struct.new(:name, :title, :width, :keep, :upwards, :value, :text, keyword_init: true) do
      #: (Hash[Symbol, untyped], Meter::Reading) -> String
      def cell(process, reading)
        amount = value.call(process, reading)
        amount.nil? ? Units::NOTHING : text.call(amount)
      end

      # Names to the left, numbers to the right.
      #: (String, ?Integer) -> String
      def align(text, columns = width)
        missing = [columns - Terminal.width(text), 0].max
        left? ? text + (" " * missing) : (" " * missing) + text
      end

      def left? = %i[state request].include?(name)

      # What is left of the width is the request's.
      def flexible? = name == :request
    end
  end
end
