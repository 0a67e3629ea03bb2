# frozen_string_literal: true

require "coppice/info"

module Pitchfork
  # Coppice::Info under Pitchfork's name. A module of its own, because workers_count means something else there.
  module Info
    class << self
      (Coppice::Info.singleton_methods(false) - %i[attach workers_count]).each do |name|
        define_method(name) { |*arguments| Coppice::Info.public_send(name, *arguments) }
      end

      # The number at the start of the server: TTIN and TTOU do not change it.
      #: () -> Integer
      def workers_count = Coppice::Compatibility.workers_count || Coppice::Info.workers_count
    end
  end
end
