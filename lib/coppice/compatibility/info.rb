# frozen_string_literal: true

require "coppice/info"

module Pitchfork
  # Coppice::Info, but for what Pitchfork's means otherwise. A module of its own: a gem that reopens it changes nothing of ours.
  module Info
    class << self
      (Coppice::Info.singleton_methods(false) - %i[enter workers_count]).each do |name|
        define_method(name) { |*arguments| Coppice::Info.public_send(name, *arguments) }
      end

      # What the server was started with, whatever TTIN and TTOU have said since.
      #: () -> Integer
      def workers_count = Coppice::Compatibility.workers_count || Coppice::Info.workers_count
    end
  end
end
