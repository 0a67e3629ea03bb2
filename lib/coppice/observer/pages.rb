# frozen_string_literal: true

module Coppice
  class Observer
    # The page that the observer itself has for browsers: the login form.
    module Pages
      HEADERS = {
        "content-type" => "text/html; charset=utf-8", "cache-control" => "no-store",
        "x-content-type-options" => "nosniff", "referrer-policy" => "no-referrer",
        "content-security-policy" => "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
      }.freeze

      LOGIN = <<~HTML
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Coppice: log in</title>
        <h1>Coppice</h1>
        <form method="post" action="login">
          <label>admin_token <input type="password" name="token" autocomplete="current-password" autofocus></label>
          <button>Log in</button>
        </form>
      HTML
    end
  end
end
