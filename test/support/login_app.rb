# frozen_string_literal: true

# An application with a page for those who have logged in, and what logs in.
module LoginApp
  RUBY = <<~'RUBY'
    run(lambda do |env|
      case [env["REQUEST_METHOD"], env["PATH_INFO"]]
      when %w[POST /login]
        password = env["rack.input"].read
        [303, { "location" => "/account", "set-cookie" => "session=#{password}; path=/; httponly" }, []]
      else [env["HTTP_COOKIE"] == "session=oak" ? 200 : 401, {}, []]
      end
    end)
  RUBY

  LOGGING_IN = 'warm_up_requests { |client| client.request("POST", "/login", {}, "oak") }'
end
