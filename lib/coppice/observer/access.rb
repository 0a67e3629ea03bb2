# frozen_string_literal: true

require "digest"
require "ipaddr"

module Coppice
  class Observer
    # Who may ask for what on admin_listen. It knows a client by the token in the header Authorization, or by the cookie
    # that the login form sets. The cookie is a digest of the token, so that it tells nobody the token.
    class Access
      COOKIE = "coppice_admin"

      # A page of another site cannot send this header: a browser would first ask this server, which does not answer.
      ACTION_HEADER = "HTTP_X_COPPICE_ACTION"

      #: (token: String?, ?hosts: Array[String]) -> void
      def initialize(token:, hosts: [])
        @hosts = ["localhost", *hosts]
        @secret = digest(token) if token
        @cookie = digest("#{COOKIE} #{token}") if token
      end

      # Whether the request names this server by an address or an expected name. A page of another site whose name was
      # made to lead here (DNS rebinding) names that site. HTTP/1.0 clients need not name any.
      #: (Hash[String, untyped]) -> bool
      def host_allowed?(env)
        name = env["HTTP_HOST"].to_s[/\A(?:\[[^\]]*\]|[^:]*)/].downcase.delete_suffix(".")
        env["HTTP_HOST"].nil? || @hosts.include?(name) || address?(name)
      end

      # Whether no token is needed, or the request has it.
      #: (Hash[String, untyped]) -> bool
      def authorized?(env) = @secret.nil? || token_given?(env) || cookie_given?(env)

      # Whether there is a token to log in with.
      #: () -> bool
      def login? = !@secret.nil?

      #: (String) -> bool
      def token?(text) = login? && same?(@secret, digest(text))

      # What Set-Cookie says to a client that knows the token. The browser sends it to no other site and shows it to no
      # script. It does send it to other ports of this host, so that each has a cookie of its own.
      #: (Hash[String, untyped]) -> String
      def cookie(env)
        secure = "; Secure" if env["rack.url_scheme"] == "https"
        "#{cookie_name(env)}=#{@cookie}; Path=#{env["SCRIPT_NAME"]}/; HttpOnly; SameSite=Strict#{secure}"
      end

      private

      def token_given?(env)
        text = env["HTTP_AUTHORIZATION"].to_s[/\ABearer +(\S+)\z/i, 1]
        !text.nil? && token?(text)
      end

      def cookie_given?(env)
        text = env["HTTP_COOKIE"].to_s[/(?:\A|;\s*)#{cookie_name(env)}=(\h+)/, 1]
        !text.nil? && same?(digest(@cookie), digest(text))
      end

      def cookie_name(env) = "#{COOKIE}_#{env["SERVER_PORT"]}"

      def digest(text) = Digest::SHA256.hexdigest(text)

      # In a time that does not depend on where they differ. Digests are of one length.
      def same?(one, other)
        one.each_byte.zip(other.each_byte).reduce(0) { |difference, (left, right)| difference | (left ^ right) }.zero?
      end

      def address?(name)
        IPAddr.new(name.delete_prefix("[").delete_suffix("]"))
        true
      rescue IPAddr::Error
        false
      end
    end
  end
end
