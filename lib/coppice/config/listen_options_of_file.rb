# frozen_string_literal: true

require "coppice/listeners/address"

module Coppice
  module Config
    # The options of an address that a flag or a variable names: those that the configuration file gives to the same
    # address, or else to the same port. `-p 3000` and `listen 3000` mean different hosts in development, and people
    # write one host in several ways: as 0.0.0.0, [::] or localhost.
    class ListenOptionsOfFile
      OF_ADDRESS = %i[ipv6only umask].freeze # they are for the address itself

      # They trust every client to be the proxy: where only this machine can connect, that says nothing of others.
      OF_PROXY = %i[proxy_protocol scheme].freeze

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

      # Names the addresses that get no options because the file's listeners on their port have different ones, and
      # those that other machines can reach, and that do not get the options of a local proxy.
      #: (SourceValues) -> Array[String]
      def notes(merged)
        texts = merged.values.fetch(:listen).filter_map { |address| differing(address) || withheld(address) }
        texts.map { |text| "#{merged.origins[:listen]}: #{text}" }
      end

      private

      def differing(address)
        return if candidates(address).size < 2

        "#{address} has none of the options that #{@file.file} gives to port #{address.port}, because they differ. " \
          "Name one of the file's addresses"
      end

      def withheld(address)
        local = sources(address).select { |other| opens?(address, other) }
        names = OF_PROXY.select { |name| local.any? { |other| other.options[name] != default[name] } }
        return if names.empty?

        "#{address} does not have #{names.join(' and ')} of #{local.join(', ')} in #{@file.file}, because other " \
          "machines can reach it. Name the file's address"
      end

      def candidates(address) = sources(address).map { |other| handed_on(other, address) }.uniq

      # The file's addresses whose options are those of an address.
      def sources(address)
        same = @listen.select { |other| other.to_s == address.to_s }
        same.empty? ? @listen.select { |other| address.tcp? && other.port == address.port } : same
      end

      def handed_on(other, address)
        return other.options if other.to_s == address.to_s

        kept = [*OF_ADDRESS, *(OF_PROXY if opens?(address, other))]
        other.options.merge(default.slice(*kept))
      end

      # Whether other machines can reach the address, unlike the file's.
      def opens?(address, other) = other.local? && !address.local?

      def default = Listeners::DEFAULT_OPTIONS
    end
  end
end
