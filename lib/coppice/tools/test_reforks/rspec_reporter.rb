# frozen_string_literal: true

module Coppice
  module TestReforks
    # Extends the reporter of RSpec, in every process. In a later generation it sends to the first process what would go
    # to the formatters; examples and groups by their ids, because both processes have the same ones.
    module RSpecReporter
      attr_accessor :coppice_suite #: RSpecSuite

      # The one method through which RSpec reaches its formatters.
      def notify(event, notification)
        return if coppice_suite.left?
        return super unless coppice_suite.run.later?

        coppice_suite.forward(event, notification)
      end

      # An error outside of the examples.
      def notify_non_example_exception(exception, context)
        return if coppice_suite.left?

        super
        coppice_suite.run.report(:non_example_error) if coppice_suite.run.later?
      end

      # In the first process, for an error in a later generation, whose text comes as a message.
      #: () -> void
      def count_non_example_error
        @non_example_exception_count += 1
      end
    end
  end
end
