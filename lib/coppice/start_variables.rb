# frozen_string_literal: true

module Coppice
  # Variables that Ruby and the C library read only when a program starts. Who starts it adds them to its environment.
  # The program removes them, so that those which it starts do not inherit them.
  module StartVariables
    LIST = "COPPICE_ADDED_VARIABLES"

    # What to add to the environment, for variables that it does not have.
    #: (Hash[String, String]) -> Hash[String, String]
    def self.listed(variables)
      variables.empty? ? {} : { **variables, LIST => variables.keys.join(",") }
    end

    #: (Hash[String, String]) -> void
    def self.remove_from(environment)
      environment.delete(LIST).to_s.split(",").each { |name| environment.delete(name) }
    end
  end
end
