# frozen_string_literal: true

module Trees
  class Routes < Hanami::Routes
    root to: "home.show"
    get "/trees/:name", to: "trees.show"
    post "/trees", to: "trees.create"
    get "/visits", to: "visits.show"
    get "/broken", to: "broken.show"
  end
end
