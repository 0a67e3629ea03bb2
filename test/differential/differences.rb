# frozen_string_literal: true

require_relative "difference"

module Coppice
  # Known differences between Coppice and other servers in how they read requests. differential_test.rb accepts these
  # classes of findings and no others. `rake docs` writes them into the tables of docs/http.md.
  module Differences
    ALL_PEERS = %w[Puma Pitchfork Falcon].freeze
    GET = "GET / HTTP/1.1\r\nHost: a\r\n"
    CHUNKED = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    NO_BODY = "0\r\n\r\n"
    private_constant :ALL_PEERS, :GET, :CHUNKED, :NO_BODY

    # Requests that peers accept and Coppice refuses.
    ONLY_THEY_ACCEPT = [
      Difference.new("no Host, two of them, a malformed one, or one that differs from the target's",
        peers: ALL_PEERS, right: :coppice,
        why: "must be refused (9112 3.2), except for some characters in host names: see above",
        reasons: ["Host is missing, malformed or not the request target's"],
        examples: ["GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"]),
      Difference.new("a target in none of the four forms, with a fragment, with control or non-ASCII bytes",
        peers: ALL_PEERS, right: :coppice, why: "should be refused, not repaired (9112 3.2)",
        reasons: ["the request target is malformed"],
        examples: ["GET * HTTP/1.1\r\nHost: a\r\n\r\n"]),
      Difference.new("a version except 1.0 and 1.1, such as `HTTP/1.2` or `HTTP/2.0`",
        peers: ALL_PEERS, right: :choice,
        why: "505 is the status for these (9110 15.6.6), but 1.2 should be served as 1.1 (9110 2.5)",
        reasons: ["the HTTP version is neither 1.0 nor 1.1"],
        examples: ["GET / HTTP/1.2\r\nHost: a\r\n\r\n"]),
      Difference.new("the preface of HTTP/2",
        peers: %w[Pitchfork Falcon], right: :coppice, why: "a client that sends it does not use HTTP/1.1 (9113 3.4)",
        reasons: ["this looks like HTTP/2, but the port speaks HTTP/1.1"],
        examples: ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]),
      Difference.new("no version (Pitchfork); `HTTP/1.10` (Puma); any byte for the dot of `1.1` (Falcon)",
        peers: ALL_PEERS, right: :coppice, why: "must be two digits with a dot between them (9112 2.3)",
        reasons: ["the HTTP version is missing or malformed"],
        examples: ["GET /\r\n", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", "GET / HTTP/1-1\r\nHost: a\r\n\r\n"]),
      Difference.new("a method that is not registered",
        peers: %w[Pitchfork Falcon], right: :coppice, why: "should be answered with 501 (9110 9.1)",
        reasons: ["the method is not a registered one"],
        examples: ["get / HTTP/1.1\r\nHost: a\r\n\r\n"]),
      Difference.new("a method of more than 20 bytes",
        peers: %w[Falcon], right: :choice, why: "a limit; no registered method is that long (9110 2.3)",
        reasons: ["the method is not a token of at most 20 bytes"],
        examples: ["#{"A" * 21} / HTTP/1.1\r\nHost: a\r\n\r\n"]),
      Difference.new("a line of the head that ends with LF only",
        peers: %w[Pitchfork], right: :choice,
        why: "a server may treat it as CR LF (9112 2.2); a proxy that does not sees another head",
        reasons: ["a line does not end with CR LF"],
        examples: ["GET / HTTP/1.1\nHost: a\n\n"]),
      Difference.new("a folded header line",
        peers: %w[Pitchfork], right: :choice, why: "must be refused or unfolded (9112 5.2)",
        reasons: ["a header is folded over several lines"],
        examples: ["#{GET}X-A: b\r\n c\r\n\r\n"]),
      Difference.new("a control character in a value",
        peers: %w[Falcon], right: :choice, why: "it is invalid, but only CR, LF and NUL must be refused (9110 5.5)",
        reasons: ["a header value contains a control character"],
        examples: ["#{GET}X-A: \v\r\n\r\n"]),
      Difference.new(
        "Content-Type or Authorization twice; also Host (Puma, Pitchfork); also `Content-Length: 0` (Pitchfork)",
        peers: ALL_PEERS, right: :coppice,
        why: "the sender meant only one of them (9110 5.3); two Hosts must be refused (9112 3.2)",
        reasons: ["a header that may come once came twice"],
        examples: ["#{GET}Authorization: b\r\nAuthorization: c\r\n\r\n"]
      ),
      Difference.new("an expectation except `100-continue`",
        peers: ALL_PEERS, right: :choice, why: "may be answered with 417 (9110 10.1.1)",
        reasons: ["no expectation but 100-continue is supported"],
        examples: ["#{GET}Expect: b\r\n\r\n"]),
      Difference.new("more header or trailer lines than Coppice allows",
        peers: ALL_PEERS, right: :choice, why: "a limit of Coppice; the peers have other limits (6585 5)",
        reasons: ["there are too many header lines", "the trailers are too large or too many"],
        examples: ["#{GET}#{"A: b\r\n" * 128}\r\n"]),
      Difference.new("Content-Length of 20 digits; an empty Content-Length (Pitchfork)",
        peers: ALL_PEERS, right: :choice, why: "a limit; an empty value must be refused (9112 6.3)",
        reasons: ["Content-Length is not a number"],
        examples: ["#{GET}Content-Length: #{"0" * 20}\r\n\r\n"]),
      Difference.new("Transfer-Encoding in HTTP/1.0; together with Content-Length (Puma, Pitchfork)",
        peers: ALL_PEERS, right: :coppice, why: "invalid framing, which allows smuggling (9112 6.1)",
        reasons: ["Transfer-Encoding came with Content-Length or in HTTP/1.0"],
        examples: ["POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n#{NO_BODY}"]),
      Difference.new(
        "Transfer-Encoding that does not end with one chunked, such as `xchunked` or `chunked;q=1`; `chunked,` (Puma)",
        peers: ALL_PEERS, right: :coppice,
        why: "must be refused: the end of the body is unknown (9112 6.3), but for `chunked,`: see above",
        reasons: ["Transfer-Encoding does not end with one chunked"],
        examples: ["POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked,\r\n\r\n#{NO_BODY}",
                   "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n"]
      ),
      Difference.new("`gzip, chunked`",
        peers: ALL_PEERS, right: :coppice,
        why: "should be 501 if the server does not decode gzip (9112 6.1): the application would get it raw",
        reasons: ["no transfer coding but chunked is supported"],
        examples: ["POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n#{NO_BODY}"]),
      Difference.new("a chunk size of more than 16 digits; with blanks around it (Puma)",
        peers: ALL_PEERS, right: :coppice,
        why: "must be digits only (9112 7.1); leading zeros are harmless, and their number is a limit of Coppice",
        reasons: ["a chunk's size is not 1 to 16 hexadecimal digits"],
        examples: ["#{CHUNKED}#{"0" * 17}\r\n\r\n"]),
      Difference.new("a malformed chunk extension",
        peers: ALL_PEERS, right: :coppice, why: "a malformed extension may hide the end of a line (9112 7.1.1)",
        reasons: ["a chunk extension is malformed"],
        examples: ["#{CHUNKED}0;\r\n\r\n"]),
      Difference.new(
        "a chunk or a line of the body that ends with LF (Pitchfork) or CR CR LF (Puma), or contains an LF (Falcon)",
        peers: ALL_PEERS, right: :coppice,
        why: "smuggling: another program may see the end of the line there (9112 7.1)",
        reasons: ["a chunk or a line of the body does not end with CR LF"],
        examples: ["#{CHUNKED}0\n\r\n", "#{CHUNKED}0\r\nX-A: b\r\r\n\r\n", "#{CHUNKED}0;b\nc\r\n\r\n"]
      ),
      Difference.new("a malformed trailer line",
        peers: ALL_PEERS, right: :coppice,
        why: "the same as in a header (9112 5); Puma skips trailers unread, Falcon accepts control characters",
        reasons: ["a trailer line is malformed"],
        examples: ["#{CHUNKED}0\r\n X-A: b\r\n\r\n", "#{CHUNKED}0\r\nX-A: \x01\r\n\r\n"]),
      Difference.new("a trailer with a name that only a header may have",
        peers: ALL_PEERS, right: :coppice, why: "must not be sent (9110 6.5.1); Falcon accepts `Proxy-` and a few more",
        reasons: ["a trailer has a name that only a header may have"],
        examples: ["#{CHUNKED}0\r\nHost: b\r\n\r\n", "#{CHUNKED}0\r\nProxy-A: b\r\n\r\n"]),
    ].freeze

    # Requests that Coppice accepts and peers refuse.
    ONLY_WE_ACCEPT = [
      Difference.new("an empty line before the request",
        peers: ALL_PEERS, right: :coppice, kinds: [:only_we_accept], why: "should be ignored (9112 2.2)",
        examples: ["\r\n#{GET}\r\n"]) { |finding| finding.request.start_with?("\r\n") },
      Difference.new("methods of HTTP extensions, such as `REPORT` or `QUERY`",
        peers: %w[Puma], right: :choice, kinds: [:only_we_accept],
        why: "a server may refuse unknown methods (9110 9.1); Coppice leaves that to the application",
        examples: ["REPORT / HTTP/1.1\r\nHost: a\r\n\r\n"]) do |finding|
        finding.theirs[:why].include?("method is not supported")
      end,
      Difference.new("`CONNECT`, which only tunnels need",
        peers: %w[Puma Pitchfork], right: :choice, kinds: [:only_we_accept], why: "a server may refuse it (9110 9.3.6)",
        examples: ["CONNECT [::1]:1 HTTP/1.1\r\nHost: [::1]:1\r\n\r\n"]) { |finding| finding.ours[:verb] == "CONNECT" },
      Difference.new("visible ASCII that browsers send unescaped, such as quotation marks",
        peers: %w[Puma], right: :choice, kinds: [:only_we_accept], why: "not a valid URI, but unambiguous (9112 3.2)",
        examples: ["GET /?\" HTTP/1.1\r\nHost: a\r\n\r\n"]) { |finding| finding.target.match?(/["<>\\^`{|}]/) },
      Difference.new("a lone `%` in a target",
        peers: %w[Pitchfork], right: :choice, kinds: [:only_we_accept],
        why: "not a valid URI (3986 2.1), but unambiguous",
        examples: ["GET /% HTTP/1.1\r\nHost: a\r\n\r\n"]) { |finding| finding.target.match?(/%(?!\h\h)/) },
      Difference.new("an absolute target without a path",
        peers: %w[Pitchfork], right: :coppice, kinds: [:only_we_accept], why: "must be accepted (9112 3.2.2, 3986 3.3)",
        examples: ["GET http://a HTTP/1.1\r\nHost: a\r\n\r\n"]) do |finding|
        finding.target.match?(%r{\A\w+://[^/]*(?:\?|\z)})
      end,
      Difference.new("chunk extensions with a value",
        peers: %w[Pitchfork], right: :coppice, kinds: [:only_we_accept], why: "must be ignored (9112 7.1.1)",
        examples: ["#{CHUNKED}0;b=\"c\"\r\n\r\n"]) { |finding| finding.request.match?(/^\h+;/) },
      Difference.new("blanks before the `;` of a chunk extension",
        peers: ALL_PEERS, right: :coppice, kinds: [:only_we_accept], why: "must be parsed (9112 7.1.1)",
        examples: ["#{CHUNKED}0 ;b\r\n\r\n"]) { |finding| finding.request.match?(/^\h+[ \t]+;/) },
      Difference.new("`Content_Length` and `Transfer_Encoding`, which differ from the names with a hyphen",
        peers: %w[Pitchfork], right: :coppice, kinds: [:only_we_accept],
        why: "smuggling: Pitchfork treats them as the length of the body (9110 5.1)",
        examples: ["#{GET}Content_Length: 5\r\n\r\n"]) do |finding|
        finding.request.match?(/^(?:content_length|transfer_encoding):/i)
      end,
      Difference.new("trailers that are not known to be harmless, such as `X-Forwarded-For`",
        peers: %w[Falcon], right: :choice, kinds: [:only_we_accept], why: "may be discarded or refused (9110 6.5.1)",
        examples: ["#{CHUNKED}0\r\nX-Forwarded-For: b\r\n\r\n"]) do |finding|
        finding.theirs[:why].include?("InvalidTrailer")
      end,
      Difference.new("Referer, or another header with a single value, twice",
        peers: %w[Falcon], right: :choice, kinds: [:only_we_accept],
        why: "Coppice refuses duplicates of the headers that matter: see above (9110 5.3)",
        examples: ["#{GET}Referer: b\r\nReferer: c\r\n\r\n"]) do |finding|
        finding.theirs[:why].include?("DuplicateHeader")
      end,
      Difference.new("Content-Length followed by blanks",
        peers: %w[Falcon], right: :coppice, kinds: [:only_we_accept],
        why: "blanks around a value are not part of it (9110 5.5)",
        examples: ["#{GET}Content-Length: 0 \r\n\r\n"]) do |finding|
        finding.theirs[:why].include?("Invalid content length")
      end,
      Difference.new("a Range header without a valid range",
        peers: %w[Falcon], right: :choice, kinds: [:only_we_accept],
        why: "may be refused or ignored (9110 14.2); Coppice leaves that to the application",
        examples: ["#{GET}Range: b\r\n\r\n"]) { |finding| finding.theirs[:why].include?("Range::ParseError") },
    ].freeze

    # Requests that both accept and read differently.
    READ_DIFFERENTLY = [
      Difference.new("names with an underscore reach the application",
        peers: ALL_PEERS, right: :choice, kinds: [:fields],
        why: "`X_A` and `X-A` become the same variable, and a proxy may protect only one of them",
        examples: ["#{GET}X_A: b\r\n\r\n"]) { |finding| finding.names_in_head.grep(/_/).any? },
      Difference.new("`Proxy` reaches the application, as `HTTP_PROXY`",
        peers: ALL_PEERS, right: :coppice, kinds: [:fields],
        why: "programs read that variable as the address of their proxy (CVE-2016-5385)",
        examples: ["#{GET}Proxy: b\r\n\r\n"]) { |finding| finding.field == "PROXY" },
      Difference.new("trailers become headers, also `X-Forwarded-For`",
        peers: %w[Pitchfork], right: :coppice, kinds: [:fields],
        why: "must not be merged unless they are known to be safe (9110 6.5.1)",
        examples: ["#{CHUNKED}0\r\nX-Forwarded-For: b\r\n\r\n"]) { |finding| finding.names_in_body.any? },
      Difference.new("the host of an absolute target does not replace Host",
        peers: %w[Puma Falcon], right: :coppice, kinds: [:host],
        why: "must replace it (9112 3.2.2); Falcon does so in another layer",
        examples: ["GET http://A/ HTTP/1.1\r\nHost: a\r\n\r\n"]) { |finding| !finding.target.start_with?("/", "*") },
      Difference.new("an empty port in an absolute target stays in Host",
        peers: %w[Pitchfork], right: :choice, kinds: [:host], why: "the host is the same either way (9110 4.2.3)",
        examples: ["GET http://a:/ HTTP/1.1\r\nHost: a\r\n\r\n"]) do |finding|
        finding.target.match?(%r{\A\w+://[^/?]*:(?:[/?]|\z)})
      end,
      Difference.new("an absolute target without a path gets the path \"\"",
        peers: %w[Puma], right: :coppice, kinds: [:path], why: "the same as `/` (9110 4.2.3)",
        examples: ["GET http://a HTTP/1.1\r\nHost: a\r\n\r\n"]) { |finding| !finding.target.start_with?("/") },
      Difference.new("`REQUEST_URI` has only the path of an absolute target",
        peers: %w[Pitchfork], right: :choice, kinds: [:target], why: "no RFC defines that variable",
        examples: ["GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"]) { |finding| !finding.target.start_with?("/", "*") },
      Difference.new("everything after a request with Upgrade, or after a CONNECT, is its body",
        peers: %w[Falcon], right: :coppice, kinds: [:body],
        why: "not before the server has agreed to it (9110 7.8, 9.3.6)",
        examples: ["#{GET}Connection: Upgrade\r\nUpgrade: b\r\n\r\nc"]) do |finding|
        finding.ours[:verb] == "CONNECT" || finding.ours[:fields].key?("UPGRADE")
      end,
      Difference.new("`chunked` followed by blanks is another coding",
        peers: %w[Falcon], right: :coppice, kinds: %i[body only_they_accept],
        why: "blanks around a value are not part of it (9110 5.5); Falcon reads everything that follows as the body",
        examples: ["POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked \r\n\r\n#{NO_BODY}"]) do |finding|
        finding.request.match?(/^transfer-encoding:[ \t]*chunked[ \t]+\r/i)
      end,
    ].freeze

    ALL = [*ONLY_THEY_ACCEPT, *ONLY_WE_ACCEPT, *READ_DIFFERENTLY].freeze
  end
end
