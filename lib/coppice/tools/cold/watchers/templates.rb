# frozen_string_literal: true

module Coppice
  module Cold
    # The templates that Action View compiled between `start` and `stop`. Tilt does not report its templates.
    class Templates
      EVENT = "!compile_template.action_view"

      attr_reader :paths #: Array[String]

      def initialize
        @paths = []
      end

      def start #: () -> void
        return unless defined?(::ActiveSupport::Notifications)

        @subscription = ActiveSupport::Notifications.subscribe(EVENT) { |*, payload| @paths << payload[:identifier] }
      end

      def stop #: () -> void
        ActiveSupport::Notifications.unsubscribe(@subscription) if @subscription
      end
    end
  end
end
