# frozen_string_literal: true

require "openssl"

module Coppice
  # A certificate for 127.0.0.1 and its key, made for one test.
  class SelfSigned
    attr_reader :key, :certificate

    def initialize
      @key = OpenSSL::PKey::EC.generate("prime256v1")
      @certificate = OpenSSL::X509::Certificate.new
      name = OpenSSL::X509::Name.parse("/CN=127.0.0.1")
      certificate.version = 2
      certificate.serial = 1
      certificate.subject = certificate.issuer = name
      certificate.public_key = key
      certificate.not_before = Time.now - 3600
      certificate.not_after = Time.now + 3600
      certificate.sign(key, "SHA256")
    end
  end
end
