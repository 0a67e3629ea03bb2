# frozen_string_literal: true

Rails.application.routes.draw do
  root "home#show"

  resources :products, only: %i[index show]
  resource :cart, only: %i[show update destroy] do
    resources :lines, controller: "cart_lines", only: %i[create update destroy]
  end
  resources :orders, only: %i[new create show]
  resources :uploads, only: %i[index new create show]
  get "reports/sales", to: "reports#sales"
  get "live", to: "live#show"

  namespace :api, defaults: { format: :json } do
    resources :products, only: %i[index show]
    resources :reviews, only: :create
  end

  get "up", to: "rails/health#show", as: :health
end
