# frozen_string_literal: true

# lib/capistrano/tasks/coppice.rake for Capistrano 3. A roll that is given up ends the deployment while `current` still
# leads to the release that serves. Of several servers of one user the one that runs in `current` is meant.
namespace :coppice do
  desc "Roll the running server to the new release"
  task :roll do
    on roles(:app) do
      within(current_path) { execute :bundle, :exec, :coppice, :roll, release_path }
    end
  end
end

before "deploy:publishing", "coppice:roll"
