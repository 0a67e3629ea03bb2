# frozen_string_literal: true

require "coppice/listeners/address"

module Coppice
  module Config
    # The options of an address that a flag or a variable names: those that the configuration file gives to the same
    # address, or else to the same port. `-p 3000` and `listen 3000` mean different hosts in development, and people
    # write one host in several ways: as 0.0.0.0, [::] or localhost.
    class ListenOptionsOfFile
      OF_ADDRESS = %i[ipv6only umask].freeze # they are for the address itself

      # They trust every client to be the proxy. What one host says does not hold for others.
      OF_PROXY = %i[proxy_protocol scheme].freeze

      NUMERIC = /\A[\d.]+\z|:/.freeze # a name may mean an address of either family
      private_constant :NUMERIC

      #: (FileValues, ListenHosts) -> void
      def initialize(file, hosts)
        @file = file
        @listen = hosts.name(file.values.fetch(:listen, []))
      end

      #: (Listeners::Address) -> Listeners::Address
      def given_to(address)
        options = candidates(address)
        options.one? ? address.with_options(options.first) : address
      end

      # Names the addresses that get no options because the file's listeners on their port have different ones, and
      # those that do not get the options of a proxy because others can reach them.
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
        narrower = sources(address).select { |other| reached_by_others?(address, other) }
        names = OF_PROXY.select { |name| narrower.any? { |other| other.options[name] != default[name] } }
        return if names.empty?

        "#{address} does not have #{names.join(' and ')} of #{narrower.join(', ')} in #{@file.file}, because others " \
          "can reach it. Name the file's address, or listen on this one in the file"
      end

      def candidates(address) = sources(address).map { |other| handed_on(other, address) }.uniq

      # The file's addresses whose options are those of an address.
      def sources(address)
        same = @listen.select { |other| other.to_s == address.to_s }
        same.empty? ? @listen.select { |other| address.tcp? && other.port == address.port } : same
      end

      def handed_on(other, address)
        return other.options if other.to_s == address.to_s

        kept = [*OF_ADDRESS, *(OF_PROXY if reached_by_others?(address, other))]
        other.options.merge(default.slice(*kept))
      end

      # Whether clients may reach the address that cannot reach the file's. Processes of this machine reach both.
      def reached_by_others?(address, other)
        return false if address.local? || address.host == other.host

        !(NUMERIC.match?(address.host) && other.includes?(address))
      end

      def default = Listeners::DEFAULT_OPTIONS
    end
  end
end
