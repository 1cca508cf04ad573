package io.viaduct.sip.digest;

import io.viaduct.sip.FieldText;
import java.util.Map;

/// The value of Authorization or Proxy-Authorization with qop `auth`.
///
/// @param nc nonce count, eight hexadecimal digits
/// @param response hexadecimal
/// @param auts base64 of what a subscriber's card answers to a sequence number that it refuses (RFC
///   3310 section 3.2); empty if there is none
public record DigestCredentials(
    DigestAlgorithm algorithm,
    String username,
    String realm,
    String nonce,
    String uri,
    String qop,
    String nc,
    String cnonce,
    String response,
    String auts) {
  /// Makes credentials without AUTS.
  public DigestCredentials(
      DigestAlgorithm algorithm,
      String username,
      String realm,
      String nonce,
      String uri,
      String qop,
      String nc,
      String cnonce,
      String response) {
    this(algorithm, username, realm, nonce, uri, qop, nc, cnonce, response, "");
  }

  /// Reads a header value.
  ///
  /// @throws IllegalArgumentException naming the parameter that is missing or wrong
  public static DigestCredentials parse(String value) {
    if (!value.regionMatches(true, 0, "Digest ", 0, 7)) {
      throw new IllegalArgumentException("scheme must be Digest");
    }
    Map<String, String> p = FieldText.parameters(value.substring(7), ',');
    String algorithm = p.getOrDefault("algorithm", "");
    return new DigestCredentials(
        DigestAlgorithm.of(algorithm)
            .orElseThrow(() -> new IllegalArgumentException("unknown algorithm " + algorithm)),
        need(p, "username"),
        need(p, "realm"),
        need(p, "nonce"),
        need(p, "uri"),
        p.getOrDefault("qop", ""),
        p.getOrDefault("nc", ""),
        p.getOrDefault("cnonce", ""),
        need(p, "response"),
        p.getOrDefault("auts", ""));
  }

  private static String need(Map<String, String> parameters, String name) {
    String value = parameters.get(name);
    if (value == null || value.isEmpty()) {
      throw new IllegalArgumentException("parameter " + name + " is missing");
    }
    return value;
  }

  /// Computes the correct response for these parameters, H(A1) and a method (RFC 7616 section
  /// 3.4.1).
  public String expectedResponse(String ha1, String method) {
    String ha2 = algorithm.hash(method + ":" + uri);
    return algorithm.hash(String.join(":", ha1, nonce, nc, cnonce, qop, ha2));
  }

  /// Returns the credentials with a response.
  public DigestCredentials withResponse(String next) {
    return new DigestCredentials(
        algorithm, username, realm, nonce, uri, qop, nc, cnonce, next, auts);
  }

  /// Returns the header value.
  public String encode() {
    return "Digest username=%s, realm=%s, nonce=%s, uri=%s, response=\"%s\", algorithm=%s, qop=%s, nc=%s, cnonce=%s%s"
        .formatted(
            FieldText.quote(username),
            FieldText.quote(realm),
            FieldText.quote(nonce),
            FieldText.quote(uri),
            response,
            algorithm.token(),
            qop,
            nc,
            FieldText.quote(cnonce),
            auts.isEmpty() ? "" : ", auts=" + FieldText.quote(auts));
  }

  @Override
  public String toString() {
    return "credentials of " + username + " in " + realm;
  }
}
