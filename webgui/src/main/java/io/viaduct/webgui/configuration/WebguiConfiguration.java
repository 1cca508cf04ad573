package io.viaduct.webgui.configuration;

import io.viaduct.service.configuration.FileName;
import io.viaduct.service.configuration.Secret;
import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.service.operations.OperationsSettings;
import io.viaduct.service.throttle.TrustedProxies;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/// Everything that can be set of one web GUI process; defaults and their reasons are in
/// `WebguiConfiguration.yml`.
public record WebguiConfiguration(
    Http http,
    Billing billing,
    Bridge bridge,
    OperationsSettings operations,
    LoggingSettings logging,
    Limits limits,
    Telephones telephones,
    Oidc oidc) {

  /// The HTTP server that browsers connect to.
  ///
  /// @param port TCP port, 0 takes a free one and logs it
  /// @param secureCookies true behind a TLS proxy: cookies are marked Secure, HSTS is sent
  /// @param trustedProxies addresses and networks whose `X-Forwarded-For` names the visitor
  public record Http(String host, int port, boolean secureCookies, TrustedProxies trustedProxies) {
    public Http {
      require(port >= 0 && port <= 65535, "port must be 0..65535, got " + port);
    }
  }

  /// @param url base of billing's REST interface, without `/api/v1`
  public record Billing(URI url) {
    public Billing {
      requireHttp(url);
    }
  }

  /// @param url base of the bridge's REST interface, without `/api/v1`
  /// @param tokenFile bearer token of the bridge's REST interface
  public record Bridge(URI url, Secret tokenFile) {
    public Bridge {
      requireHttp(url);
    }
  }

  /// Upper bounds on what a visitor, a peer or a browser may take.
  ///
  /// @param sessions browser sessions, visitors at the log-in page included
  /// @param streams live pages open at once
  /// @param streamsPerSession live pages of one browser session
  /// @param streamLifetime after this a live stream ends and the browser opens a new one
  /// @param liveInterval shortest time between two updates of one live page
  /// @param snaptRefresh how often an open SNAPT page asks again
  /// @param peerTimeout longest wait for billing or the bridge to answer
  /// @param answerBytes largest answer of billing or the bridge
  /// @param chargesPerPage rows of a page of charges
  /// @param topUpDenarii largest single top-up, in whole denarii
  public record Limits(
      int sessions,
      Duration sessionIdle,
      int streams,
      int streamsPerSession,
      Duration streamLifetime,
      Duration liveInterval,
      Duration snaptRefresh,
      Duration peerTimeout,
      int answerBytes,
      int chargesPerPage,
      long topUpDenarii) {
    public Limits {
      requireIn(sessions, 1, 1_000_000, "sessions");
      requireIn(streams, 1, 100_000, "streams");
      requireIn(streamsPerSession, 1, 100, "streams-per-session");
      requireIn(answerBytes, 1024, 64 << 20, "answer-bytes");
      requireIn(chargesPerPage, 1, 200, "charges-per-page");
      requireIn(topUpDenarii, 1, 1_000_000_000, "top-up-denarii");
      requireBetween(sessionIdle, "1m", "24h", "session-idle");
      requireBetween(streamLifetime, "10s", "24h", "stream-lifetime");
      requireBetween(liveInterval, "0.05s", "1m", "live-interval");
      requireBetween(snaptRefresh, "0.5s", "10m", "snapt-refresh");
      requireBetween(peerTimeout, "0.1s", "2m", "peer-timeout");
    }
  }

  /// Address of the bridge for telephones and other SIP programs.
  ///
  /// @param server host, or host:port, that they reach the bridge at; empty if the SIP domain's
  ///   name leads there
  /// @param transport udp, tcp or tls
  public record Telephones(String server, String transport) {
    public Telephones {
      require(
          server.isEmpty()
              || server.matches(
                  "([A-Za-z0-9.-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}\\])(:[1-9][0-9]{0,4})?"),
          "server must be host or host:port, an IPv6 address in brackets, or empty, got " + server);
      require(
          Set.of("udp", "tcp", "tls").contains(transport),
          "transport must be udp, tcp or tls, got " + transport);
    }

    /// Returns the host, or an empty text.
    public String host() {
      return server.replaceFirst(":[0-9]+$", "");
    }

    /// Returns a colon and the port, or an empty text for the port of the transport.
    public String port() {
      return server.substring(host().length());
    }
  }

  /// An OpenID Connect provider that visitors may log in at. Billing's `users.oidc` must name the
  /// same issuer and client.
  ///
  /// @param issuer URL of the provider, as its discovery document has it; empty for none
  /// @param name name of the provider on the log-in page
  /// @param clientId the pages' id at the provider
  /// @param clientSecretFile file with the pages' secret there; empty for a public client
  /// @param scopes scopes that are asked for; `openid` is one of them
  /// @param pages address of the pages as browsers see it, without a slash at the end; empty for
  ///   the one that the visitor's request names
  public record Oidc(
      String issuer,
      String name,
      String clientId,
      @FileName String clientSecretFile,
      List<String> scopes,
      String pages) {
    public Oidc {
      require(
          issuer.isEmpty()
              || issuer.matches(
                  "(https://|http://(127\\.0\\.0\\.1|localhost)[:/])[\\x21-\\x7e&&[^?#]]{1,1000}"),
          "issuer must be https://… without query and fragment, or empty, got " + issuer);
      require(
          issuer.isEmpty() || !clientId.isEmpty() && !name.isBlank(),
          "name and client-id must be given with the issuer");
      scopes = List.copyOf(scopes);
      require(scopes.contains("openid"), "scopes must have openid, got " + scopes);
      require(
          pages.isEmpty() || pages.matches("https?://[\\x21-\\x7e&&[^?#]]{0,1000}[^/]"),
          "pages must be a URL without a slash at its end, or empty, got " + pages);
      if (!clientSecretFile.isEmpty()) {
        Secret.of(clientSecretFile);
      }
    }

    /// Returns true if there is a provider.
    public boolean hasIssuer() {
      return !issuer.isEmpty();
    }
  }

  private static void requireHttp(URI url) {
    require(
        url.getHost() != null && Set.of("http", "https").contains(String.valueOf(url.getScheme())),
        "url must be http://host:port or https://host:port, got " + url);
    require(
        url.getUserInfo() == null && url.getQuery() == null && url.getFragment() == null,
        "url must have no user, query or fragment");
  }

  private static void requireIn(long value, long least, long most, String key) {
    require(
        value >= least && value <= most,
        "%s must be %d..%d, got %d".formatted(key, least, most, value));
  }

  private static void requireBetween(Duration value, String least, String most, String key) {
    require(
        value.compareTo(Duration.parse("PT" + least)) >= 0
            && value.compareTo(Duration.parse("PT" + most)) <= 0,
        "%s must be %s..%s, got %s".formatted(key, least, most, value));
  }

  private static void require(boolean holds, String rule) {
    if (!holds) {
      throw new IllegalArgumentException(rule);
    }
  }
}
