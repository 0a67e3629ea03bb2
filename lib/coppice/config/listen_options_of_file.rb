# frozen_string_literal: true

module Coppice
  module Config
    # The options of an address that a flag or a variable names: those that the configuration file gives to the same
    # address, or else to the same port. `-p 3000` and `listen 3000` mean different hosts in development, and people
    # write one host in several ways: as 0.0.0.0, [::] or localhost.
    class ListenOptionsOfFile
      #: (FileValues) -> void
      def initialize(file)
        @file = file
        @listen = file.values.fetch(:listen, [])
      end

      #: (Listeners::Address) -> Listeners::Address
      def given_to(address)
        options = candidates(address)
        options.one? ? address.with_options(options.first) : address
      end

      # Names the addresses that have no options since the file has several ones for their port.
      #: (SourceValues) -> Array[String]
      def notes(merged)
        unclear = merged.values.fetch(:listen).select { |address| candidates(address).size > 1 }
        unclear.map do |address|
          "#{merged.origins[:listen]}: #{address} has none of the options that #{@file.file} gives to port " \
            "#{address.port}, since they differ. Name one of the file's addresses"
        end
      end

      private

      def candidates(address)
        same = @listen.select { |other| other.to_s == address.to_s }
        same = @listen.select { |other| address.tcp? && other.port == address.port } if same.empty?
        same.map(&:options).uniq
      end
    end
  end
end
