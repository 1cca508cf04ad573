package io.viaduct.sip.digest;

import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.SipEndpoint;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Digest client of one user. Answers challenges with the strongest algorithm offered, and sends
/// credentials unasked as long as the server's nonce is valid. Thread-safe.
public final class DigestClient {
  private static final int UNAUTHORIZED = 401;
  private static final int PROXY_AUTHENTICATION_REQUIRED = 407;

  private final String username;
  private final String password;
  private final Set<DigestAlgorithm> accepted;
  private @Nullable DigestChallenge current;
  private boolean isProxy;
  private int uses;

  /// Makes a client that knows no challenge yet.
  ///
  /// @param accepted algorithms that may be used; without MD5 a server cannot ask for it
  public DigestClient(String username, String password, Set<DigestAlgorithm> accepted) {
    this.username = username;
    this.password = password;
    this.accepted = Set.copyOf(accepted);
  }

  /// Remembers the challenge of a response.
  ///
  /// @return true if the response is a challenge that credentials can be made for
  public synchronized boolean acceptChallenge(SipResponse response) {
    if (response.status() != UNAUTHORIZED && response.status() != PROXY_AUTHENTICATION_REQUIRED) {
      return false;
    }
    isProxy = response.status() == PROXY_AUTHENTICATION_REQUIRED;
    current = strongest(response).orElse(null);
    uses = 0;
    return current != null;
  }

  /// Returns true if the server says that only its nonce was too old.
  public boolean isStale(SipResponse response) {
    return strongest(response).map(DigestChallenge::stale).orElse(false);
  }

  /// Forgets the challenge after refused credentials, so that no more are sent unasked.
  public synchronized void forget() {
    current = null;
  }

  private Optional<DigestChallenge> strongest(SipResponse response) {
    String name =
        response.status() == PROXY_AUTHENTICATION_REQUIRED
            ? "Proxy-Authenticate"
            : "WWW-Authenticate";
    return response.headers().all(name).stream()
        .flatMap(value -> DigestChallenge.parse(value).stream())
        .filter(challenge -> accepted.contains(challenge.algorithm()))
        .filter(challenge -> !challenge.algorithm().isAka()) // the client has a password, no card
        .min(Comparator.comparing(DigestChallenge::algorithm));
  }

  /// Adds credentials to a request if a challenge is known.
  public synchronized SipRequest authorize(SipRequest request) {
    DigestChallenge challenge = current;
    if (challenge == null) {
      return request;
    }
    DigestCredentials credentials =
        new DigestCredentials(
            challenge.algorithm(),
            username,
            challenge.realm(),
            challenge.nonce(),
            request.uri(),
            "auth",
            "%08x".formatted(++uses),
            SipEndpoint.token(),
            "");
    String ha1 = challenge.algorithm().ha1(username, challenge.realm(), password);
    String value =
        credentials.withResponse(credentials.expectedResponse(ha1, request.method())).encode();
    return request.with(isProxy ? "Proxy-Authorization" : "Authorization", value);
  }

  @Override
  public String toString() {
    return "digest client of " + username;
  }
}
