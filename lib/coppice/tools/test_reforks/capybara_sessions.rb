# frozen_string_literal: true

require "coppice/errors"

module Coppice
  module TestReforks
    # Gives each generation its own sessions and servers of Capybara. The thread of a server does not exist in a copy,
    # but its port still answers: the first process serves there, and its application was never forked.
    module CapybaraSessions
      class << self
        # In a process that is about to be forked or to exit. A copy would share the connection to the browser, and no
        # exit handler ends the browser that a later generation has started. In the first process a test that runs once
        # more begins a new session.
        #: () -> void
        def quit
          return unless loaded?

          ::Capybara.send(:session_pool).each_value { |session| quit_session(session) }.clear
        end

        # In a new generation: the next session starts a server in this process.
        #: () -> void
        def forget_servers
          ::Capybara::Server.ports.clear if loaded?
        end

        private

        def loaded? = defined?(::Capybara::Server)

        def quit_session(session)
          session.quit
        rescue UserCodeError => error # of the driver, whose browser may be gone
          warn "coppice: a session of Capybara could not be ended: #{error.message} (#{error.class})"
        end
      end
    end
  end
end
