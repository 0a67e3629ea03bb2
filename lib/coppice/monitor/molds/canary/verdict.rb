# frozen_string_literal: true

module Coppice
  class Monitor
    class Canary
      # What a canary has shown, with its numbers.
      #
      # outcome: :pass, :reject or :undecided.
      # cause: :passed; :timeout, :failures, :both_fail or :slower of a rejection; :few_requests.
      # reason: a sentence. fields: the numbers.
      Verdict = Struct.new(:outcome, :cause, :reason, :fields, keyword_init: true) do
        # Whether the release is to be committed: too few requests are no reason against it.
        #: () -> bool
        def commit? = outcome != :reject

        # The fields of its log line.
        #: () -> Hash[Symbol, untyped]
        def to_log = { canary: cause, **fields }
      end
    end
  end
end
