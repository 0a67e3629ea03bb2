# frozen_string_literal: true

require "coppice/control/messages"

module Coppice
  module Control
    # Message ⇄ bytes. Both ends are Coppice on one machine, joined by a socketpair that no other process can open, so
    # Marshal is safe. Messages carry plain values only.
    module Codec
      # names: the descriptors that travel beside the message, see Channel.
      #: (Object, Hash[Symbol, Integer?]) -> String
      def self.encode(message, names)
        Marshal.dump([message.class.name.rpartition("::").last.to_sym, names, *message.to_a])
      end

      # The message, and the names of its descriptors. Raises ProtocolMismatch for a message that this version does not
      # know.
      #: (String) -> [Object, Hash[Symbol, Integer?]]
      def self.decode(bytes)
        type, names, *values = Marshal.load(bytes) # rubocop:disable Security/MarshalLoad
        members = Messages::TABLE.fetch(type) { raise ProtocolMismatch, "unknown message #{type.inspect}" }
        well_formed = names.is_a?(Hash) && members.size == values.size
        raise ProtocolMismatch, "#{type} has #{values.size} values" unless well_formed

        [build(Messages.const_get(type), members, values), names]
      rescue TypeError, ArgumentError => error
        raise ProtocolMismatch, "a malformed message: #{error.message}"
      end

      def self.build(klass, members, values)
        (members.empty? ? klass.new : klass.new(**members.zip(values).to_h)).freeze
      end
      private_class_method :build
    end
  end
end
