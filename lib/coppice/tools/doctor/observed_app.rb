# frozen_string_literal: true

require "coppice/tools/cold/play"
require "coppice/errors"

module Coppice
  module Doctor
    # The application, with an examiner that is told of each request that fails.
    class ObservedApp
      attr_reader :examiner #: Examiner

      #: (untyped, Examiner) -> void
      def initialize(app, examiner)
        @app = app
        @examiner = examiner
      end

      #: (Hash[String, untyped]) -> untyped
      def call(env)
        path = env["PATH_INFO"]
        response = @app.call(env)
        status = response[0].to_i
        @examiner.note_error(path, status, Cold::Play.error_in(env)) if status >= 500
        response
      rescue UserCodeError, NoMemoryError => error # the application's
        @examiner.note_error(path, nil, error)
        raise
      end
    end
  end
end
