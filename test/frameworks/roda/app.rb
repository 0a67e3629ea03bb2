# frozen_string_literal: true

require "roda"

# Answers what test/integration/frameworks_test.rb asks, in Roda's own ways.
class Trees < Roda
  opts[:root] = __dir__
  plugin :public
  plugin :render, escape: true
  plugin :sessions, secret: "0123456789abcdef" * 4
  plugin :streaming
  plugin(:not_found) { "no such tree" }
  plugin(:error_handler) { |_error| "a branch broke" }

  route do |request|
    request.public

    request.root { view("home", layout: false) }

    request.on("trees") do
      request.get(String) { |name| "#{name} in #{request.params['season']}" }
      request.post { request.redirect("/trees/#{request.params['name']}?season=#{request.params['season']}", 303) }
    end

    request.get("visits") { (session["visits"] = session["visits"].to_i + 1).to_s }

    request.get "rings" do
      stream { |out| 3.times { |ring| out << "ring #{ring}\n" } }
    end

    request.get("broken") { raise "broken" }
  end
end
