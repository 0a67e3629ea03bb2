# frozen_string_literal: true

require "sinatra/base"

# Answers what test/integration/frameworks_test.rb asks, in Sinatra's own ways.
class Trees < Sinatra::Base
  set :root, __dir__
  set :sessions, true
  set :session_secret, "0123456789abcdef" * 4

  get("/") { erb :home }

  get("/trees/:name") { "#{params[:name]} in #{params[:season]}" }

  post("/trees") { redirect to("/trees/#{params[:name]}?season=#{params[:season]}"), 303 }

  get("/visits") { (session[:visits] = session[:visits].to_i + 1).to_s }

  get "/rings" do
    stream { |out| 3.times { |ring| out << "ring #{ring}\n" } }
  end

  get("/broken") { raise "broken" }

  not_found { "no such tree" }

  error { "a branch broke" }
end
