# frozen_string_literal: true

require "coppice/cold/play"
require "coppice/inheritance"

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
      rescue StandardError, ScriptError, SystemStackError, NoMemoryError => error # the application's
        @examiner.note_error(path, nil, error)
        raise
      end
    end

    # What a server's processes inherit, with an examiner that looks after each hook.
    class ObservedInheritance < Inheritance
      #: (Symbol, *untyped, log: Log) -> void
      def call_hook(name, *arguments, log:)
        super
        app.examiner.after_hook(name, arguments.first)
      end
    end
  end
end
