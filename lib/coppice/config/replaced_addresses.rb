# frozen_string_literal: true

module Coppice
  module Config
    # Tells the user that PORT has replaced addresses of the configuration file which are for this machine alone. A
    # service may set the variable for another purpose; then a proxy that connects to the Unix socket reaches nobody,
    # and all machines reach the server.
    module ReplacedAddresses
      VARIABLE = "environment PORT" # as the origin of a value

      # merged: what all sources together say.
      #: (FileValues, SourceValues) -> Array[String]
      def self.notes(file, merged)
        return [] unless merged.origins[:listen] == VARIABLE

        listen = merged.values.fetch(:listen)
        local = file.values.fetch(:listen, []).select { |address| address.unix? || narrower?(address, listen) }
        return [] if local.empty?

        ["#{file.origins[:listen]}: PORT is set, and replaces #{local.join(', ')} by #{listen.join(', ')}. Unset it, " \
         "or listen on that port in the file as well: then all its addresses count"]
      end

      #: (Listeners::Address, Array[Listeners::Address]) -> bool
      def self.narrower?(address, listen) = address.local? && !listen.all?(&:local?)
      private_class_method :narrower?
    end
  end
end
