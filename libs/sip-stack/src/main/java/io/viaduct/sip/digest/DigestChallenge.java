package io.viaduct.sip.digest;

import io.viaduct.sip.FieldText;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One challenge of a server that a client can answer: qop `auth` and a known algorithm.
public record DigestChallenge(
    DigestAlgorithm algorithm, String realm, String nonce, String opaque, boolean stale) {
  /// Reads one WWW-Authenticate or Proxy-Authenticate value. Empty if the challenge is not
  /// supported.
  public static Optional<DigestChallenge> parse(String value) {
    if (!value.regionMatches(true, 0, "Digest ", 0, 7)) {
      return Optional.empty();
    }
    Map<String, String> p = FieldText.parameters(value.substring(7), ',');
    boolean auth = List.of(p.getOrDefault("qop", "").split("\\s*,\\s*")).contains("auth");
    String realm = p.getOrDefault("realm", "");
    String nonce = p.getOrDefault("nonce", "");
    if (!auth || nonce.isEmpty()) {
      return Optional.empty();
    }
    return DigestAlgorithm.of(p.getOrDefault("algorithm", ""))
        .map(algorithm ->
            new DigestChallenge(
                algorithm,
                realm,
                nonce,
                p.getOrDefault("opaque", ""),
                p.getOrDefault("stale", "").equalsIgnoreCase("true")));
  }

  /// Returns the header value.
  public String encode() {
    return "Digest realm=%s, nonce=%s, algorithm=%s, qop=\"auth\"%s"
        .formatted(
            FieldText.quote(realm),
            FieldText.quote(nonce),
            algorithm.token(),
            stale ? ", stale=true" : "");
  }
}
