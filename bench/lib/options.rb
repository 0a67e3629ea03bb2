# frozen_string_literal: true

module Bench
  # The options of the command line. nil: the benchmark uses its default. `plan` holds arguments for every Plan;
  # `own_app` holds the files and paths of an application outside of this project; `before` is another checkout of
  # Coppice; `rows` is the file that keeps what was measured.
  Options = Struct.new(:servers, :variants, :seconds, :rounds, :requests, :points, :workers, :clients, :client_counts,
    :kills, :apps, :app, :own_app, :plan, :variables, :settings, :save, :slots, :shares, :coppice_workers, :before,
    :rows, keyword_init: true) do
    # The checkout of Coppice that is measured.
    #: () -> String
    def checkout = plan.fetch(:checkout)

    # Arguments for every Plan of that server: with the variables for all servers and for this one, and Coppice's
    # settings.
    #: (String) -> Hash[Symbol, untyped]
    def plan_for(server)
      meant = (variables || []).select { |variable| [nil, server].include?(variable.server) }
      environment = plan.fetch(:environment, {}).merge(meant.to_h { |variable| [variable.name, variable.value] })
      plan.merge(environment: environment, settings: (settings if server.start_with?("coppice")))
    end

    # What rows of results have in common if they can be compared.
    #: () -> Hash[String, untyped]
    def surroundings
      { "ruby" => RUBY_VERSION, "yjit" => plan.fetch(:environment)["RUBY_YJIT_ENABLE"] == "1",
        "variables" => (variables || []).map { |one| one.to_h.compact.transform_keys(&:to_s) },
        "settings" => settings || [] }
    end
  end

  # A variable of the environment for one server, or for all when that is nil.
  Variable = Struct.new(:server, :name, :value, keyword_init: true) do
    # Parses "NAME=VALUE" and "coppice:NAME=VALUE"; nil for anything else.
    #: (String) -> Variable?
    def self.parse(text)
      found = /\A(?:(?<server>[a-z]+):)?(?<name>[A-Za-z_]\w*)=(?<value>.*)\z/m.match(text) or return
      new(**found.named_captures.transform_keys(&:to_sym))
    end
  end
end
