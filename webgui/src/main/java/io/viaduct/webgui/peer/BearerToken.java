package io.viaduct.webgui.peer;

/// A bearer token (RFC 6750). Lives on the server only; `toString` does not show it.
public record BearerToken(String value) {
  public BearerToken {
    // b64token of RFC 6750 section 2.1: nothing that could break out of a header.
    if (!value.matches("[A-Za-z0-9\\-._~+/]{1,4096}=*")) {
      throw new IllegalArgumentException("a bearer token must be 1..4096 characters of b64token");
    }
  }

  /// The token itself.
  public String reveal() {
    return value;
  }

  @Override
  public String toString() {
    return "(bearer token)";
  }
}
