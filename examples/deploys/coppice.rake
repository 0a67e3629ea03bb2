# frozen_string_literal: true

# lib/capistrano/tasks/coppice.rake for Capistrano 3. A roll that is given up ends the deployment while `current` still
# leads to the release that serves.
namespace :coppice do
  desc "Roll the running server to the new release"
  task :roll do
    on roles(:app) do
      within(release_path) { execute :bundle, :exec, :coppice, :roll, release_path }
    end
  end
end

before "deploy:publishing", "coppice:roll"
