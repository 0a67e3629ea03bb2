# frozen_string_literal: true

module Bench
  # What the user has asked for. nil: the benchmark knows best. `plan` holds what every Plan gets; `own_app` says where an
  # application lies that is none of ours.
  Options = Struct.new(:servers, :variants, :seconds, :rounds, :requests, :points, :workers, :clients, :kills, :apps, :app, :own_app,
    :plan, :variables, :settings, :save, keyword_init: true) do
    # What every Plan of that server gets: with the variables that are for all or for it, and Coppice's settings.
    #: (String) -> Hash[Symbol, untyped]
    def plan_for(server)
      meant = (variables || []).select { |variable| [nil, server].include?(variable.server) }
      environment = plan.fetch(:environment, {}).merge(meant.to_h { |variable| [variable.name, variable.value] })
      plan.merge(environment: environment, settings: (settings if server == "coppice"))
    end
  end

  # A variable of the environment for one server, or for all when that is nil.
  Variable = Struct.new(:server, :name, :value, keyword_init: true) do
    # Reads "NAME=VALUE" and "coppice:NAME=VALUE"; nil for what is neither.
    #: (String) -> Variable?
    def self.parse(text)
      found = /\A(?:(?<server>[a-z]+):)?(?<name>[A-Za-z_]\w*)=(?<value>.*)\z/m.match(text) or return
      new(**found.named_captures.transform_keys(&:to_sym))
    end
  end
end
