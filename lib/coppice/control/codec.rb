# frozen_string_literal: true

require "coppice/control/messages"

module Coppice
  module Control
    # Message ⇄ bytes. Both ends are Coppice on one machine, joined by a socketpair
    # nobody else can open, so Marshal is safe; only plain values are ever put in.
    module Codec
      #: (Object) -> String
      def self.encode(message)
        Marshal.dump([message.class.name.rpartition("::").last.to_sym, *message.to_a])
      end

      # Raises ProtocolMismatch for a message that this version does not know.
      #: (String) -> Object
      def self.decode(bytes)
        name, *values = Marshal.load(bytes) # rubocop:disable Security/MarshalLoad
        members = Messages::TABLE.fetch(name) { raise ProtocolMismatch, "unknown message #{name.inspect}" }
        raise ProtocolMismatch, "#{name} has #{values.size} values" unless members.size == values.size

        build(Messages.const_get(name), members, values)
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
